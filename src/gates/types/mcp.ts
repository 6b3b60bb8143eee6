import { nonBlank } from '#input';
import { contains, counted, type Json } from '#lib';
import type { McpCall, McpRecord } from '#model';
import { z } from 'zod';
import { boundsProblem, comparedWith } from '../bounds.js';
import { checkTrajectory } from '../check-trajectory.js';
import { commonFields, count, mcpServer } from '../fields.js';
import { defineGate, type GateContext, type Verdict } from '../gate.js';
import { compileJsonSchema } from '../json/json-schema.js';
import { broken, fail, pass, printed, quotedText } from '../verdicts.js';

/** The record of one server under test, or of all of them. */
interface RecordedMcp {
  calls: McpCall[];
  /** Number of calls that were not kept. */
  dropped: number;
  /** The problems of the server, or the servers. */
  problems: string[];
  /** The parts that could not be recorded because of our own limits. */
  limits: string[];
}

/**
 * Judges what the agent did with a server, or with all of them. The calls that were not kept may be of any server.
 */
const checkMcp = (
  context: GateContext,
  server: string | undefined,
  judge: (recorded: RecordedMcp) => Verdict,
): Promise<Verdict> => checkTrajectory(context, ({ mcp }) => judge(ofServer(mcp, server)));

function ofServer({ calls, callCount, problems }: McpRecord, server: string | undefined): RecordedMcp {
  const isWanted = (one: { server: string }): boolean => server === undefined || one.server === server;
  const [limits, faults] = [true, undefined].map((limit) =>
    problems.filter((one) => isWanted(one) && one.limit === limit).map((one) => `${one.server}: ${one.message}`),
  );
  return {
    calls: calls.filter(isWanted),
    dropped: callCount - calls.length,
    problems: faults ?? [],
    limits: limits ?? [],
  };
}

/** The problems of servers, for a message; else empty. */
const problemsNote = (problems: readonly string[]): string =>
  problems.length === 0 ? '' : `; ${problems.slice(0, 3).join('; ')}`;

const SHOWN = 3;
const toolName = nonBlank('the name of a tool');

/** The fields that say which calls of a tool of an MCP server are meant. */
const callFields = {
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
 * Checks that between `min` and `max` calls of a tool were recorded. The verdict is `error` if calls that were not
 * recorded, or a server that failed, could change it.
 */
const checkToolCalls = (spec: ToolCalls, context: GateContext): Promise<Verdict> =>
  checkMcp(context, spec.server, ({ calls, dropped, problems, limits }) => {
    const { args, args_schema, min, max = Infinity, after } = spec;
    const compiled = args_schema === undefined ? null : compileJsonSchema(args_schema);
    if (compiled?.ok === false) return broken(compiled.message);
    const isWanted = ({ tool, arguments: given }: McpCall): boolean =>
      tool === spec.tool &&
      (args === undefined || contains(given, args)) &&
      (compiled === null || compiled.problemOf(given) === null);
    const found = calls.filter(isWanted).length;
    const evidence = `${counted(found, 'call')} of ${quotedText(spec.tool)}${describeArgs(spec)}`;
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
      ? pass(`${evidence}, after ${quotedText(after)}`)
      : fail(
          `${evidence}; expected a call of ${quotedText(after)} before${first === -1 ? ', which was not called' : ''}`,
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
  return `; ${names.length === 0 ? 'no tool was called' : `the agent called ${quotedText(names.join(', '))}`}`;
}

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
      const errors = [...problems, ...failed.map((call) => `${call.server} ${call.tool}: ${call.why ?? 'failed'}`)];
      const total = counted(calls.length + dropped, 'call');
      const evidence = `${counted(errors.length, 'error')} in ${total}${listed(errors)}`;
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
