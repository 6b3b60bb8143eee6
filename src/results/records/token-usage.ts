import { z } from 'zod';

/** Numbers of tokens; null: unknown. */
export const TokenUsage = z.object({
  input: z.number().nullable().describe('Without those from a cache'),
  output: z.number().nullable().describe('Without reasoning'),
  reasoning: z.number().nullable().describe('Reasoning tokens'),
  cache_read: z.number().nullable().describe('Read from a cache'),
  cache_write: z.number().nullable().describe('Written to a cache'),
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

/** Adds up usages. A count is null only if it is null in all of them. */
export function sumUsage(usages: readonly TokenUsage[]): TokenUsage {
  const sum = (name: keyof TokenUsage): number | null =>
    usages.reduce<number | null>(
      (total, { [name]: count }) => (count === null ? total : (total ?? 0) + count),
      null,
    );
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
  input === null || output === null
    ? null
    : Object.values(others).reduce<number>((sum, count) => sum + (count ?? 0), input + output);
