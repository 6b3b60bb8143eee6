import { z } from 'zod';
import { nonBlank } from '#input';
import { boundsProblem, describeBounds, judgeNumber } from '../bounds.js';
import { checkTools, countCalls } from '../check-tools.js';
import { commonFields, count } from '../fields.js';
import { defineGate } from '../gate.js';
import { countOf, quote } from '../verdicts.js';

export const stepCount = defineGate({
  schema: z
    .strictObject({
      type: z.literal('step_count'),
      ...commonFields,
      max_steps: count.optional().describe('Upper limit of the number of tool calls'),
      min_steps: count.optional().describe('Lower limit of the number of tool calls'),
      target_steps: count
        .optional()
        .describe('Number of tool calls that is intended; only shown in the message'),
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
      const counted = `${countOf(known, 'tool call')}${prefix === undefined ? '' : ` with the prefix ${quote(prefix)}`}`;
      const message = `${counted}; expected ${describeBounds({ min, max })}${target === undefined ? '' : `; target ${target}`}`;
      const unknown = calls.unseen === null ? 0 : Infinity;
      return judgeNumber({ min, max }, { known, unknown }, message, `${message}; ${calls.unseen ?? ''}`);
    }),
});
