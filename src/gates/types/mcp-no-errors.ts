import { z } from 'zod';
import { checkMcp, problemsNote } from '../check-mcp.js';
import { commonFields, count, mcpServer } from '../fields.js';
import { defineGate } from '../gate.js';
import { broken, countOf, fail, pass } from '../verdicts.js';

const SHOWN = 3;

export const mcpNoErrors = defineGate({
  schema: z
    .strictObject({
      type: z.literal('mcp_no_errors'),
      ...commonFields,
      server: mcpServer,
      allow: count.default(0).describe('How many errors there may be'),
    })
    .describe('No call of an MCP server under test failed, and the servers worked until the agent ended'),
  subject: ({ server }) => server ?? 'MCP servers',
  checksUse: ({ server }) => ({ kind: 'mcp', name: server ?? null, field: 'server' }),
  check: ({ server, allow }, context) =>
    checkMcp(context, server, ({ calls, dropped, problems, limits }) => {
      const failed = calls.filter(({ is_error }) => is_error);
      const errors = [
        ...problems,
        ...failed.map((call) => `${call.server} ${call.tool}: ${call.why ?? 'failed'}`),
      ];
      const total = countOf(calls.length + dropped, 'call');
      const evidence = `${countOf(errors.length, 'error')} in ${total}${listed(errors)}`;
      if (errors.length > allow) return fail(evidence);
      if (limits.length > 0) return broken(`${evidence}${problemsNote(limits)}`);
      return dropped > 0 ? broken(`${evidence}; the last ${dropped} calls were not kept`) : pass(evidence);
    }),
});

function listed(errors: readonly string[]): string {
  if (errors.length === 0) return '';
  const more = errors.length > SHOWN ? `; and ${errors.length - SHOWN} more` : '';
  return `: ${errors.slice(0, SHOWN).join('; ')}${more}`;
}
