import { z } from 'zod';
import { pattern } from '#input';
import { checkAnswer } from '../check-trajectory.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { matching } from '../text-matcher.js';

export const regexMatch = defineGate({
  schema: z
    .strictObject({
      type: z.literal('regex_match'),
      ...commonFields,
      pattern: pattern.describe('RE2 pattern, unanchored and ignoring case; (?-i) makes it case-sensitive'),
    })
    .describe("The agent's final answer matches the pattern, ignoring case"),
  subject: (spec) => spec.pattern,
  check: (spec, context) =>
    matching({ ...spec, ignoreCase: true }, context, (wanted) => checkAnswer(spec, context, wanted)),
});
