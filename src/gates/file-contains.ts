import { z } from 'zod';
import { commonFields, substring, workspacePath } from './fields.js';
import { defineGate } from './gate.js';
import { quote } from './verdicts.js';
import { checkFileText } from './workspace-file.js';

/** The UTF-8 file has the substring. */
export const fileContains = defineGate({
  schema: z
    .strictObject({
      type: z.literal('file_contains'),
      ...commonFields,
      path: workspacePath,
      substring: substring,
    })
    .describe('The UTF-8 file contains the text'),
  subject: (spec) => spec.path,
  check: (spec, context) =>
    checkFileText(spec.path, context, {
      does: `contains ${quote(spec.substring)}`,
      doesNot: `does not contain ${quote(spec.substring)}`,
      test: (content) => content.includes(spec.substring),
    }),
});
