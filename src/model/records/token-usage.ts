import { z } from 'zod';
import { sumOfCounts } from '#lib';
import { Count } from './quantities.js';

/** Numbers of tokens; null: unknown. */
export const TokenUsage = z.object({
  input: Count.nullable().describe('Without those from a cache'),
  output: Count.nullable().describe('Without reasoning'),
  reasoning: Count.nullable().describe('Reasoning tokens'),
  cache_read: Count.nullable().describe('Read from a cache'),
  cache_write: Count.nullable().describe('Written to a cache'),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** Usage of which nothing is known. */
export const NO_USAGE: Readonly<TokenUsage> = {
  input: null,
  output: null,
  reasoning: null,
  cache_read: null,
  cache_write: null,
};

/** Kinds of tokens that every request has. Not every model has the others, and some agents include them in these. */
export const REQUIRED_TOKENS = ['input', 'output'] as const;

/**
 * Adds up usages. A count of input or output that is unknown in one of them is unknown in the sum; a count of another
 * kind only if it is in all of them.
 */
export function sumUsage(usages: readonly TokenUsage[]): TokenUsage {
  const sum = (name: keyof TokenUsage): number | null => {
    const counts = usages.map(({ [name]: count }) => count);
    const known = counts.filter((count) => count !== null);
    const isRequired = (REQUIRED_TOKENS as readonly string[]).includes(name);
    return known.length === 0 || (isRequired && known.length < counts.length) ? null : sumOfCounts(known);
  };
  return {
    input: sum('input'),
    output: sum('output'),
    reasoning: sum('reasoning'),
    cache_read: sum('cache_read'),
    cache_write: sum('cache_write'),
  };
}

/**
 * Returns the number of all tokens; null if those of input or output are unknown. The other kinds may be: not every
 * model has them, and some agents include them in these.
 */
export const totalTokens = ({ input, output, ...others }: TokenUsage): number | null =>
  sumOfCounts([input, output, ...Object.values(others).map((count) => count ?? 0)]);

/** The usage of an answer of a model. Every answer has tokens, so zeros mean that they were not counted. */
export const unlessZero = (tokens: TokenUsage): Readonly<TokenUsage> =>
  Object.values(tokens).every((count) => (count ?? 0) === 0) ? NO_USAGE : tokens;
