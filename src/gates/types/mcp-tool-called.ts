import { z } from 'zod';
import { boundsProblem } from '../bounds.js';
import { callFields, checkToolCalls, toolName } from '../check-tool-calls.js';
import { commonFields, count, mcpServer } from '../fields.js';
import { defineGate } from '../gate.js';

export const mcpToolCalled = defineGate({
  schema: z
    .strictObject({
      type: z.literal('mcp_tool_called'),
      ...commonFields,
      server: mcpServer,
      ...callFields,
      min: count.default(1).describe('How many such calls there must be'),
      max: count.optional().describe('How many such calls there may be; unlimited if omitted'),
      after: toolName
        .optional()
        .describe('A tool of the same server whose first call must come before the first of these calls'),
    })
    .superRefine(({ min, max }, context) => {
      const message = boundsProblem({ min, max }, 'min');
      if (message !== null) context.addIssue({ code: 'custom', path: ['max'], message });
    })
    .describe('The agent called the tool of an MCP server under test, with these arguments'),
  subject: ({ server, tool }) => (server === undefined ? tool : `${server} ${tool}`),
  checksUse: ({ server }) => ({ kind: 'mcp', name: server ?? null, field: 'server' }),
  check: checkToolCalls,
});
