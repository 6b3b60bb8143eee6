import { NO_USAGE, sumOfCosts, sumUsage, type TokenUsage, unlessZero } from '#model';
import { fieldsOf, type Fields } from './json-fields.js';
import type { Numbers } from './json-lines.js';

/** Counts the usage of one start of Claude Code. */
interface UsageCount {
  /** Returns the usage of a message at its first line. Null for its other lines, which repeat it. */
  ofMessage(id: string | null, usage: Fields, numbers: Numbers): TokenUsage | null;
  /** Returns the usage that the messages before did not report, and the cost of the start so far. */
  ofResult(line: Fields, numbers: Numbers): { tokens: TokenUsage; costUsd: number | null };
}

/**
 * Creates a count for one start. Messages report their usage when they begin: what they read, but hardly anything of
 * what they write. The `result` reports everything, by model and with the cost. Its `total_cost_usd` and `modelUsage`
 * may be those of the whole session.
 */
export function createUsageCount(): UsageCount {
  const seen = new Set<string>();
  let counted: TokenUsage | null = null;
  let costUsd: number | null = 0;
  return {
    ofMessage(id, usage, numbers) {
      if (id === null || seen.has(id)) return null;
      seen.add(id);
      const tokens = unlessZero(ofApi(usage, numbers));
      counted = counted === null ? tokens : sumUsage([counted, tokens]);
      return tokens;
    },
    ofResult(line, numbers) {
      const models = line['model_usage_since_last_result'];
      const parts = Object.values(fieldsOf(models)).map(fieldsOf);
      const total =
        models === undefined
          ? ofApi(fieldsOf(line['usage']), numbers)
          : sumUsage(parts.map((part) => ofModel(part, numbers)));
      const tokens = without(unlessZero(total), counted ?? NO_USAGE, numbers);
      counted = null;
      const costs =
        models === undefined
          ? [numbers.usd(line, 'total_cost_usd')]
          : parts.map((part) => numbers.usd(part, 'costUSD'));
      costUsd = sumOfCosts([costUsd, ...costs]);
      return { tokens, costUsd };
    },
  };
}

/** Names of the counts in a message (OF_API), and of a model in a `result` (OF_MODEL). */
const OF_API = {
  input: 'input_tokens',
  output: 'output_tokens',
  cache_read: 'cache_read_input_tokens',
  cache_write: 'cache_creation_input_tokens',
};
const OF_MODEL = {
  input: 'inputTokens',
  output: 'outputTokens',
  cache_read: 'cacheReadInputTokens',
  cache_write: 'cacheCreationInputTokens',
};

const OF_API_TOTAL = { ...OF_API, reasoning: 'thinking_tokens' };

/** The reported output includes the reasoning. */
function tokensOf(usage: Fields, names: typeof OF_API, reasoning: number | null, numbers: Numbers): TokenUsage {
  const output = numbers.count(usage, names.output);
  return {
    input: numbers.count(usage, names.input),
    output: numbers.without(output, [reasoning ?? 0], names.output),
    reasoning,
    cache_read: numbers.count(usage, names.cache_read),
    cache_write: numbers.count(usage, names.cache_write),
  };
}

function ofApi(usage: Fields, numbers: Numbers): TokenUsage {
  const reasoning = numbers.count(fieldsOf(usage['output_tokens_details']), 'thinking_tokens');
  return tokensOf(usage, OF_API, reasoning, numbers);
}

const ofModel = (usage: Fields, numbers: Numbers): TokenUsage =>
  tokensOf(usage, OF_MODEL, numbers.count(usage, 'thinkingTokens'), numbers);

/** Returns the part of a total that has not been counted yet. */
function without(total: TokenUsage, counted: TokenUsage, numbers: Numbers): TokenUsage {
  const left = (name: keyof TokenUsage): number | null =>
    numbers.without(total[name], [counted[name] ?? 0], OF_API_TOTAL[name]);
  return {
    input: left('input'),
    output: left('output'),
    reasoning: left('reasoning'),
    cache_read: left('cache_read'),
    cache_write: left('cache_write'),
  };
}
