import { z } from 'zod';
import { pattern } from '#input';
import { boundsProblem } from '../bounds.js';
import { checkCalls } from '../check-calls.js';
import { commonFields, count } from '../fields.js';
import { defineGate } from '../gate.js';

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
      const problem = boundsProblem({ min, max }, 'min');
      if (problem === null) return;
      const message = `${problem}${max === 0 ? '; for "never" use command_not_called' : ''}`;
      context.addIssue({ code: 'custom', path: ['max'], message });
    })
    .describe('At least `min` and at most `max` shell commands of the agent match the pattern'),
  subject: (spec) => spec.pattern,
  check: ({ pattern, timeout_secs, min, max = Infinity }, context) =>
    checkCalls({ pattern, timeout_secs, min, max }, context),
});
