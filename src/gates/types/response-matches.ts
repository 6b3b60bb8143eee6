import { z } from 'zod';
import { pattern } from '#input';
import { checkAnswer } from '../check-trajectory.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { matching } from '../text-matcher.js';

export const responseMatches = defineGate({
  schema: z
    .strictObject({ type: z.literal('response_matches'), ...commonFields, pattern })
    .describe("The agent's final answer matches the pattern"),
  subject: (spec) => spec.pattern,
  check: (spec, context) => matching(spec, context, (wanted) => checkAnswer(spec, context, wanted)),
});
