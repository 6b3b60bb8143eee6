import { z } from 'zod';
import { checkCalls } from '../check-calls.js';
import { commonFields, count, pattern } from '../fields.js';
import { defineGate } from '../gate.js';

/** Why the bounds make no sense: any number of commands is within them, or none is. Null if they do. */
function boundsProblem(min: number, max: number | undefined): string | null {
  if (max === undefined)
    return min > 0 ? null : 'missing: expected a number, since min: 0 alone always passes';
  if (max >= min) return null;
  return `expected a number of at least min (${min})${max === 0 ? '; for "never" use command_not_called' : ''}`;
}

export const commandCalled = defineGate({
  schema: z
    .strictObject({
      type: z.literal('command_called'),
      ...commonFields,
      pattern,
      min: count.default(1).describe('How many commands must match'),
      max: count.optional().describe('How many commands may match; unlimited if omitted'),
    })
    .superRefine(({ min, max }, context) => {
      const message = boundsProblem(min, max);
      if (message !== null) context.addIssue({ code: 'custom', path: ['max'], message });
    })
    .describe('At least `min` and at most `max` shell commands of the agent match the pattern'),
  subject: (spec) => spec.pattern,
  check: ({ pattern, timeout_secs, min, max = Infinity }, context) =>
    checkCalls({ pattern, timeout_secs, min, max }, context),
});
