import { z } from 'zod';
import type { TokenUsage } from '../results/token-usage.js';
import { checkTrajectory } from './check-trajectory.js';
import { commonFields, count } from './fields.js';
import { defineGate } from './gate.js';
import { broken, countOf, fail, pass } from './verdicts.js';

const kinds: Record<keyof TokenUsage, string> = {
  input: 'input',
  output: 'output',
  reasoning: 'reasoning',
  cache_read: 'read from the cache',
  cache_write: 'written to the cache',
};

export const maxTokens = defineGate({
  schema: z
    .strictObject({
      type: z.literal('max_tokens'),
      ...commonFields,
      max: count.describe('Tokens of all kinds together: input, output, reasoning and cache'),
    })
    .describe('The agent used no more tokens than that'),
  subject: (spec) => countOf(spec.max, 'token'),
  check: ({ max }, context) =>
    checkTrajectory(context, ({ tokens: exact, tokensAtLeast }) => {
      const tokens = tokensAtLeast ?? exact;
      const known = Object.entries(kinds).flatMap(([name, kind]) => {
        const tokenCount = tokens[name as keyof TokenUsage];
        return tokenCount === null ? [] : [{ tokenCount, kind }];
      });
      const total = known.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
      const parts = known.map(({ tokenCount, kind }) => `${tokenCount} ${kind}`).join(', ');
      const said = `${countOf(total, 'token')} (${parts || 'none reported'}), at most ${max} expected`;
      if (total > max) return fail(said); // whatever is not known besides
      if (tokensAtLeast !== undefined)
        return broken(`the agent was interrupted, and used at least ${said}; the rest is not known`);
      // Not every model has the other kinds, and not every agent tells them from these.
      return tokens.input === null || tokens.output === null
        ? broken(`the number of tokens is not known, since the agent does not report it; ${said}`)
        : pass(said);
    }),
});
