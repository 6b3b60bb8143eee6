import { z } from 'zod';
import { checkAnswer } from '../check-trajectory.js';
import { commonFields, substring } from '../fields.js';
import { defineGate } from '../gate.js';
import { containing } from '../text-matcher.js';

export const responseContains = defineGate({
  schema: z
    .strictObject({ type: z.literal('response_contains'), ...commonFields, substring })
    .describe("The agent's final answer contains the text"),
  subject: (spec) => spec.substring,
  check: (spec, context) => checkAnswer(spec, context, containing(spec.substring)),
});
