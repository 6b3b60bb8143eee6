import { z } from 'zod';
import { compilePattern } from '../lib/pattern.js';
import { checkOutput } from './command-output.js';
import { command, commonFields, pattern } from './fields.js';
import { defineGate } from './gate.js';
import { broken, quote } from './verdicts.js';

/** The command exits with 0 and its stdout, exactly as written, matches the RE2 pattern. */
export const commandOutputMatches = defineGate({
  schema: z
    .strictObject({ type: z.literal('command_output_matches'), ...commonFields, command, pattern })
    .describe('The command exits with 0 and its stdout matches the pattern'),
  subject: (spec) => spec.command,
  check: async (spec, context) => {
    const compiled = compilePattern(spec.pattern);
    if (!compiled.ok) return broken(compiled.message);
    return checkOutput(spec, context, {
      does: `matches ${quote(spec.pattern)}`,
      doesNot: `does not match ${quote(spec.pattern)}`,
      test: compiled.test,
    });
  },
});
