import { NO_USAGE, sumUsage, type TokenUsage } from '../../results/records/token-usage.js';
import { fieldsOf, numberOf, type Fields } from './json-fields.js';

/** Counts the usage of one start of Claude Code. */
interface UsageCount {
  /** Returns the usage of a message at its first line. Null for its other lines, which repeat it. */
  ofMessage(id: string | null, usage: Fields): TokenUsage | null;
  /** Returns the usage that the messages before did not report, and the cost of the start so far. */
  ofResult(line: Fields): { tokens: TokenUsage; costUsd: number | null };
}

/**
 * Creates a count for one start. Messages report their usage when they begin: what they read, but hardly anything of
 * what they write. The `result` reports everything, by model and with the cost. Its `total_cost_usd` and `modelUsage`
 * may be those of the whole session.
 */
export function createUsageCount(): UsageCount {
  const seen = new Set<string>();
  let counted: TokenUsage = NO_USAGE;
  let costUsd: number | null = 0;
  return {
    ofMessage(id, usage) {
      if (id === null || seen.has(id)) return null;
      seen.add(id);
      const tokens = ofApi(usage);
      counted = sumUsage([counted, tokens]);
      return tokens;
    },
    ofResult(line) {
      const models = line['model_usage_since_last_result'];
      const parts = Object.values(fieldsOf(models)).map(fieldsOf);
      const total = models === undefined ? ofApi(fieldsOf(line['usage'])) : sumUsage(parts.map(ofModel));
      const tokens = without(total, counted);
      counted = NO_USAGE;
      const costs = models === undefined ? [line['total_cost_usd']] : parts.map((part) => part['costUSD']);
      for (const cost of costs.map(numberOf))
        costUsd = cost === null || costUsd === null ? null : costUsd + cost;
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

/** The reported output includes the reasoning. */
function tokensOf(usage: Fields, names: typeof OF_API, reasoning: number | null): TokenUsage {
  const output = numberOf(usage[names.output]);
  return {
    input: numberOf(usage[names.input]),
    output: output === null ? null : Math.max(0, output - (reasoning ?? 0)),
    reasoning,
    cache_read: numberOf(usage[names.cache_read]),
    cache_write: numberOf(usage[names.cache_write]),
  };
}

const ofApi = (usage: Fields): TokenUsage =>
  tokensOf(usage, OF_API, numberOf(fieldsOf(usage['output_tokens_details'])['thinking_tokens']));

const ofModel = (usage: Fields): TokenUsage => tokensOf(usage, OF_MODEL, numberOf(usage['thinkingTokens']));

/** Returns the part of a total that has not been counted yet. */
function without(total: TokenUsage, counted: TokenUsage): TokenUsage {
  const left = (name: keyof TokenUsage): number | null => {
    const count = total[name];
    return count === null ? null : Math.max(0, count - (counted[name] ?? 0));
  };
  return {
    input: left('input'),
    output: left('output'),
    reasoning: left('reasoning'),
    cache_read: left('cache_read'),
    cache_write: left('cache_write'),
  };
}
