import { pattern } from '#input';
import { z } from 'zod';
import { checkAnswer } from '../check-trajectory.js';
import { commonFields, substring } from '../fields.js';
import { defineGate } from '../gate.js';
import { containing, matching } from '../text-matcher.js';

export const responseContains = defineGate({
  schema: z
    .strictObject({ type: z.literal('response_contains'), ...commonFields, substring })
    .describe("The agent's final answer contains the text"),
  subject: (spec) => spec.substring,
  check: (spec, context) => checkAnswer(spec, context, containing(spec.substring)),
});

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
  check: (spec, context) => checkAnswer(spec, context, containing(spec.value, { ignoreCase: !spec.case_sensitive })),
});

export const responseMatches = defineGate({
  schema: z
    .strictObject({ type: z.literal('response_matches'), ...commonFields, pattern })
    .describe("The agent's final answer matches the pattern"),
  subject: (spec) => spec.pattern,
  check: (spec, context) => matching(spec, context, (wanted) => checkAnswer(spec, context, wanted)),
});

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
