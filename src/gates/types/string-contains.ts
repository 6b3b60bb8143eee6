import { z } from 'zod';
import { checkAnswer } from '../check-trajectory.js';
import { commonFields, substring } from '../fields.js';
import { defineGate } from '../gate.js';
import { containing } from '../text-matcher.js';

export const stringContains = defineGate({
  schema: z
    .strictObject({
      type: z.literal('string_contains'),
      ...commonFields,
      value: substring.describe('Text to look for'),
      case_sensitive: z.boolean().default(false).describe('Whether upper and lower case differ'),
    })
    .describe("The agent's final answer contains the text, ignoring case unless `case_sensitive` is true"),
  subject: (spec) => spec.value,
  check: (spec, context) =>
    checkAnswer(spec, context, containing(spec.value, { ignoreCase: !spec.case_sensitive })),
});
