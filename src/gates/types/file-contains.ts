import { z } from 'zod';
import { workspacePath } from '#input';
import { commonFields, substring } from '../fields.js';
import { defineGate } from '../gate.js';
import { containing } from '../text-matcher.js';
import { checkFileText } from '../workspace-file.js';

export const fileContains = defineGate({
  schema: z
    .strictObject({
      type: z.literal('file_contains'),
      ...commonFields,
      path: workspacePath,
      substring,
    })
    .describe('The UTF-8 file contains the text'),
  subject: (spec) => spec.path,
  check: (spec, context) => checkFileText(spec, context, containing(spec.substring)),
});
