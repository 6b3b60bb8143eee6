import { z } from 'zod';
import { checkAnswer } from './check-trajectory.js';
import { commonFields, substring } from './fields.js';
import { defineGate } from './gate.js';
import { quote } from './verdicts.js';

/** The agent's last message has the substring. */
export const responseContains = defineGate({
  schema: z
    .strictObject({ type: z.literal('response_contains'), ...commonFields, substring })
    .describe("The agent's final answer contains the text"),
  subject: (spec) => spec.substring,
  check: (spec, context) =>
    checkAnswer(context, {
      does: `contains ${quote(spec.substring)}`,
      doesNot: `does not contain ${quote(spec.substring)}`,
      test: (answer) => answer.includes(spec.substring),
    }),
});
