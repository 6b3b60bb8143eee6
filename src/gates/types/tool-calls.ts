import { nonBlank } from '#input';
import { z } from 'zod';
import { counted } from '#lib';
import { boundsProblem, describeBounds, judgeNumber } from '../bounds.js';
import { checkTrajectory, unseenCallsReason } from '../check-trajectory.js';
import { commonFields, count, toolName } from '../fields.js';
import { defineGate, type GateContext, type Verdict } from '../gate.js';
import { brokenPattern, foldCase } from '../text-matcher.js';
import { broken, fail, pass, quotedText, tooSlow } from '../verdicts.js';

/** The agent's tool calls that were executed, whether or not they succeeded. */
interface ToolCalls {
  /** Each tool that was called, and how often. */
  tools: [name: string, calls: number][];
  /** Names of tools that the agent called without effect: it does not have them, or the arguments did not fit. */
  unexecuted: string[];
  /** The reason why there may be more calls; null if these are all. */
  unseen: string | null;
}

/** Judges the agent's tool calls. The verdict is `error` if its output shows none. */
const checkTools = (context: GateContext, judge: (calls: ToolCalls) => Verdict | Promise<Verdict>): Promise<Verdict> =>
  checkTrajectory(context, (trajectory) => {
    const unseen = unseenCallsReason(trajectory);
    const { tools, unexecuted = {} } = trajectory;
    return unseen !== null && !trajectory.structured
      ? broken(unseen)
      : judge({ tools: Object.entries(tools), unexecuted: Object.keys(unexecuted), unseen });
  });

/** Counts the calls of the tools that `isWanted` accepts. */
const countCalls = ({ tools }: ToolCalls, isWanted: (name: string, index: number) => boolean | undefined): number =>
  tools.reduce((sum, [name, calls], index) => sum + (isWanted(name, index) ? calls : 0), 0);

/** Judges whether there were at least `min` calls of the tool that the scenario calls `wanted`. */
function judgeCalls(all: ToolCalls, calls: number, wanted: string, min: number): Verdict {
  const evidence = `${calls === 0 ? 'no call' : counted(calls, 'call')} of ${quotedText(wanted)}`;
  if (calls >= min) return pass(evidence);
  if (all.unseen !== null) return broken(`${evidence}; ${all.unseen}`);
  const called = all.tools.map(([name]) => name).join(', ');
  const only =
    all.unexecuted.length === 0 ? '' : `; it named ${quotedText(all.unexecuted.join(', '))}, but nothing was executed`;
  return fail(
    `${evidence}; expected at least ${min}; ${called === '' ? 'no tool was called' : `the agent called ${quotedText(called)}`}${only}`,
  );
}

export const toolCalled = defineGate({
  schema: z
    .strictObject({
      type: z.literal('tool_called'),
      ...commonFields,
      tool: toolName,
      min: z.int().min(1).default(1).describe('How many calls there must be'),
    })
    .describe('The agent called the tool at least `min` times'),
  subject: (spec) => spec.tool,
  check: ({ tool, min, timeout_secs }, context) =>
    checkTools(context, async (calls) => {
      const unusable = brokenPattern(tool);
      if (unusable !== null) return unusable;
      const texts = calls.tools.map(([name]) => name);
      const tested = await context.work('matches', { pattern: tool, texts, whole: true }, timeout_secs);
      if (tested === null) return tooSlow(timeout_secs);
      const count = countCalls(calls, (_, index) => tested[index]);
      return judgeCalls(calls, count, tool, min);
    }),
});

/** SEND_MESSAGE, sendMessage and send_message are the same action. */
const folded = (name: string): string => foldCase(name).replaceAll('_', '');

export const trajectoryContainsAction = defineGate({
  schema: z
    .strictObject({
      type: z.literal('trajectory_contains_action'),
      ...commonFields,
      action: nonBlank('the name of an action').describe('Name of a tool; case and `_` are ignored'),
    })
    .describe('The agent executed the tool, whether or not that succeeded'),
  subject: (spec) => spec.action,
  check: ({ action }, context) =>
    checkTools(context, (calls) =>
      judgeCalls(
        calls,
        countCalls(calls, (name) => folded(name) === folded(action)),
        action,
        1,
      ),
    ),
});

export const stepCount = defineGate({
  schema: z
    .strictObject({
      type: z.literal('step_count'),
      ...commonFields,
      max_steps: count.optional().describe('Upper limit of the number of tool calls'),
      min_steps: count.optional().describe('Lower limit of the number of tool calls'),
      target_steps: count.optional().describe('Number of tool calls that is intended; only shown in the message'),
      action_prefix: nonBlank('the beginning of a tool name')
        .optional()
        .describe('Counts only tools whose names begin with this, exactly as written'),
    })
    .superRefine(({ min_steps: min, max_steps: max }, context) => {
      const message =
        min === undefined && max === undefined
          ? 'missing: expected a number here, or min_steps'
          : boundsProblem({ min, max }, 'min_steps');
      if (message !== null) context.addIssue({ code: 'custom', path: ['max_steps'], message });
    })
    .describe(
      'The agent made at least `min_steps` and at most `max_steps` tool calls; at least one of them is required',
    ),
  subject: ({ min_steps: min, max_steps: max, action_prefix: prefix }) =>
    describeBounds({ min, max }, ` tool calls${prefix === undefined ? '' : ` of ${prefix}...`}`),
  check: (spec, context) =>
    checkTools(context, (calls) => {
      const { min_steps: min, max_steps: max, target_steps: target, action_prefix: prefix } = spec;
      const known = countCalls(calls, (name) => name.startsWith(prefix ?? ''));
      const found = `${counted(known, 'tool call')}${prefix === undefined ? '' : ` with the prefix ${quotedText(prefix)}`}`;
      const message = `${found}; expected ${describeBounds({ min, max })}${target === undefined ? '' : `; target ${target}`}`;
      const unknown = calls.unseen === null ? 0 : Infinity;
      return judgeNumber({ min, max }, { known, unknown }, message, `${message}; ${calls.unseen ?? ''}`);
    }),
});
