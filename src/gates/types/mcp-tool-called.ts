import { z } from 'zod';
import type { McpCall } from '../../results/transcript/mcp-record.js';
import { boundsProblem, comparedWith } from '../bounds.js';
import { checkMcp, problemsNote } from '../check-mcp.js';
import { commonFields, count, mcpServer, nonBlank } from '../fields.js';
import { defineGate } from '../gate.js';
import { contains } from '../../lib/json-contains.js';
import { compileJsonSchema } from '../json/json-schema.js';
import { broken, countOf, fail, pass, printed, quote } from '../verdicts.js';

const SHOWN = 3;
const tool = nonBlank('the name of a tool');

export const mcpToolCalled = defineGate({
  schema: z
    .strictObject({
      type: z.literal('mcp_tool_called'),
      ...commonFields,
      server: mcpServer,
      tool: tool.describe('Name of the tool, as the server calls it'),
      args: z
        .record(z.string(), z.json())
        .optional()
        .describe('Arguments that the call must have; of a map, only the keys given here count'),
      args_schema: z
        .record(z.string(), z.json())
        .superRefine((schema, context) => {
          const compiled = compileJsonSchema(schema);
          if (!compiled.ok) context.addIssue({ code: 'custom', message: compiled.message });
        })
        .optional()
        .describe('JSON Schema (2020-12 or draft 7) that all arguments of the call must fit'),
      min: count.default(1).describe('How many such calls there must be'),
      max: count.optional().describe('How many such calls there may be; unlimited if omitted'),
      after: tool
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
  check: (spec, context) =>
    checkMcp(context, spec.server, ({ calls, dropped, problems }) => {
      const { args, args_schema, min, max = Infinity, after } = spec;
      const compiled = args_schema === undefined ? null : compileJsonSchema(args_schema);
      if (compiled?.ok === false) return broken(compiled.message);
      const isWanted = ({ tool, arguments: given }: McpCall): boolean =>
        tool === spec.tool &&
        (args === undefined || contains(given, args)) &&
        (compiled === null || compiled.problemOf(given) === null);
      const found = calls.filter(isWanted).length;
      const evidence = `${countOf(found, 'call')} of ${quote(spec.tool)}${describeArgs(spec)}`;
      const wanted = `expected ${max === Infinity ? `at least ${min}` : `${min} to ${max}`}`;
      const compared = comparedWith({ min, max }, found, dropped);
      if (compared === 'above' || compared === 'below')
        return fail(`${evidence}; ${wanted}${others(calls, spec.tool)}${problemsNote(problems)}`);
      // A server that did not work as it should have may have been called otherwise.
      if (compared === 'undecided' || (found === 0 && problems.length > 0))
        return broken(
          `${evidence}; not everything was recorded, so this cannot be decided${problemsNote(problems)}`,
        );
      if (after === undefined || found === 0) return pass(evidence);
      const first = calls.findIndex(({ tool }) => tool === after);
      return first !== -1 && first < calls.findIndex(isWanted)
        ? pass(`${evidence}, after ${quote(after)}`)
        : fail(
            `${evidence}; expected a call of ${quote(after)} before${first === -1 ? ', which was not called' : ''}`,
          );
    }),
});

const describeArgs = ({ args, args_schema }: { args?: unknown; args_schema?: unknown }): string =>
  args === undefined && args_schema === undefined ? '' : ' with these arguments';

/** The calls of the tool with other arguments, or the other tools that were called. */
function others(calls: readonly McpCall[], tool: string): string {
  const same = calls.filter((call) => call.tool === tool);
  const shown = same.slice(0, SHOWN).map((call) => printed(call.arguments));
  if (same.length > 0) return `; its calls had ${shown.join(', ')}`;
  const names = [...new Set(calls.map((call) => call.tool))];
  return `; ${names.length === 0 ? 'no tool was called' : `the agent called ${quote(names.join(', '))}`}`;
}
