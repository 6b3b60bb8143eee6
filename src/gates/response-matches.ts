import { z } from 'zod';
import { compilePattern } from '../lib/pattern.js';
import { checkAnswer } from './check-trajectory.js';
import { commonFields, pattern } from './fields.js';
import { defineGate } from './gate.js';
import { broken, quote } from './verdicts.js';

/** The agent's last message matches the RE2 pattern. */
export const responseMatches = defineGate({
  schema: z
    .strictObject({ type: z.literal('response_matches'), ...commonFields, pattern })
    .describe("The agent's final answer matches the pattern"),
  subject: (spec) => spec.pattern,
  check: async (spec, context) => {
    const compiled = compilePattern(spec.pattern);
    if (!compiled.ok) return broken(compiled.message);
    return checkAnswer(context, {
      does: `matches ${quote(spec.pattern)}`,
      doesNot: `does not match ${quote(spec.pattern)}`,
      test: compiled.test,
    });
  },
});
