import { z } from 'zod';
import { pattern, workspacePath } from '#input';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { matching } from '../text-matcher.js';
import { checkFileText } from '../workspace-file.js';

export const fileMatches = defineGate({
  schema: z
    .strictObject({ type: z.literal('file_matches'), ...commonFields, path: workspacePath, pattern })
    .describe('The UTF-8 file matches the pattern'),
  subject: (spec) => spec.path,
  check: (spec, context) => matching(spec, context, (wanted) => checkFileText(spec, context, wanted)),
});
