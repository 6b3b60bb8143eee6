import { z } from 'zod';
import { callFields, checkToolCalls } from '../check-tool-calls.js';
import { commonFields, mcpServer } from '../fields.js';
import { defineGate } from '../gate.js';

export const mcpToolNotCalled = defineGate({
  schema: z
    .strictObject({
      type: z.literal('mcp_tool_not_called'),
      ...commonFields,
      server: mcpServer,
      ...callFields,
    })
    .describe('The agent did not call the tool of an MCP server under test, or not with these arguments'),
  subject: ({ server, tool }) => (server === undefined ? tool : `${server} ${tool}`),
  checksUse: ({ server }) => ({ kind: 'mcp', name: server ?? null, field: 'server' }),
  check: (spec, context) => checkToolCalls({ ...spec, min: 0, max: 0 }, context),
});
