import { z } from 'zod';
import type { TokenUsage } from '../../results/records/token-usage.js';
import { checkTrajectory } from '../check-trajectory.js';
import { commonFields, count } from '../fields.js';
import { defineGate } from '../gate.js';
import { broken, countOf, fail, pass } from '../verdicts.js';

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
    .describe('The agent used at most `max` tokens: input, output, reasoning and cache together'),
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
      const evidence = `${countOf(total, 'token')} (${parts || 'none reported'}); expected at most ${max}`;
      if (total > max) return fail(evidence); // however many more are unknown
      if (tokensAtLeast !== undefined)
        return broken(`the agent was interrupted after using at least ${evidence}; the rest is unknown`);
      // Only these two are required: not every model has the other kinds, and some agents include them in these.
      return tokens.input === null || tokens.output === null
        ? broken(`the number of tokens is unknown because the agent does not report it; ${evidence}`)
        : pass(evidence);
    }),
});
