import { z } from 'zod';
import { nonBlank } from '#input';
import { contains, type Json } from '#lib';
import type { McpCall } from '#model';
import { comparedWith } from './bounds.js';
import { checkMcp, problemsNote } from './check-mcp.js';
import type { GateContext, Verdict } from './gate.js';
import { compileJsonSchema } from './json/json-schema.js';
import { broken, countOf, fail, pass, printed, quote } from './verdicts.js';

const SHOWN = 3;
export const toolName = nonBlank('the name of a tool');

/** The fields that say which calls of a tool of an MCP server are meant. */
export const callFields = {
  tool: toolName.describe('Name of the tool, as the server calls it'),
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
};

/** Calls of a tool, and how many of them there must be. */
interface ToolCalls {
  server?: string | undefined;
  tool: string;
  args?: Record<string, Json> | undefined;
  args_schema?: Record<string, Json> | undefined;
  min: number;
  max?: number | undefined;
  after?: string | undefined;
}

/**
 * Checks that between `min` and `max` calls of a tool were recorded. The verdict is `error` if calls that were not recorded, or
 * a server that failed, could change it.
 */
export const checkToolCalls = (spec: ToolCalls, context: GateContext): Promise<Verdict> =>
  checkMcp(context, spec.server, ({ calls, dropped, problems, limits }) => {
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
    const compared = comparedWith({ min, max }, found, limits.length > 0 ? Infinity : dropped);
    if (compared === 'above' || compared === 'below')
      return fail(`${evidence}; ${wanted}${others(calls, spec.tool)}${problemsNote(problems)}`);
    // A server that did not work as it should have may have been called otherwise.
    if (compared === 'undecided' || (found === 0 && problems.length > 0))
      return broken(
        `${evidence}; not everything was recorded, so this cannot be decided${problemsNote([...problems, ...limits])}`,
      );
    if (after === undefined || found === 0) return pass(evidence);
    const first = calls.findIndex(({ tool }) => tool === after);
    return first !== -1 && first < calls.findIndex(isWanted)
      ? pass(`${evidence}, after ${quote(after)}`)
      : fail(
          `${evidence}; expected a call of ${quote(after)} before${first === -1 ? ', which was not called' : ''}`,
        );
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
