import { z } from 'zod';
import { compilePattern } from '../lib/pattern.js';
import { commonFields, pattern, workspacePath } from './fields.js';
import { defineGate } from './gate.js';
import { broken, quote } from './verdicts.js';
import { checkFileText } from './workspace-file.js';

/** The UTF-8 file matches the RE2 pattern. */
export const fileMatches = defineGate({
  schema: z
    .strictObject({ type: z.literal('file_matches'), ...commonFields, path: workspacePath, pattern })
    .describe('The UTF-8 file matches the pattern'),
  subject: (spec) => spec.path,
  check: async (spec, context) => {
    const compiled = compilePattern(spec.pattern);
    if (!compiled.ok) return broken(compiled.message);
    return checkFileText(spec.path, context, {
      does: `matches ${quote(spec.pattern)}`,
      doesNot: `does not match ${quote(spec.pattern)}`,
      test: compiled.test,
    });
  },
});
