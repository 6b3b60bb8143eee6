import type { TokenUsage } from '#model';
import { fieldsOf, type Fields } from './json-fields.js';
import type { Numbers } from './json-lines.js';

/** The names of counts in the protocol. */
const COUNTS = [
  ...([
    'inputTokens',
    'outputTokens',
    'thoughtTokens',
    'cachedReadTokens',
    'cachedWriteTokens',
    'totalTokens',
  ] as const),
];
export type AcpCounts = Partial<Record<(typeof COUNTS)[number], number | null>>;

/** The report in an answer to a prompt. Gemini has it elsewhere, by other names. */
export function usageIn(result: Fields): Fields {
  const own = fieldsOf(result['usage']);
  if (Object.keys(own).length > 0) return own;
  const { input_tokens, output_tokens } = fieldsOf(fieldsOf(fieldsOf(result['_meta'])['quota'])['token_count']);
  return input_tokens === undefined ? {} : { inputTokens: input_tokens, outputTokens: output_tokens ?? null };
}

export const countsOf = (native: Fields, numbers: Numbers): AcpCounts =>
  Object.fromEntries(COUNTS.map((name) => [name, numbers.count(native, name)]));

/**
 * The tokens of a report since an earlier one. Agents disagree on whether tokens from a cache are part of the input,
 * and those of reasoning part of the output: the total tells. If it does not, the number is unknown.
 */
export function tokensOf(total: AcpCounts, before: AcpCounts, numbers: Numbers): TokenUsage {
  const since = (name: keyof AcpCounts): number | null =>
    numbers.without(total[name] ?? null, [before[name] ?? 0], name);
  const [input, output, all] = [since('inputTokens'), since('outputTokens'), since('totalTokens')];
  const [reasoning, read, write] = [since('thoughtTokens'), since('cachedReadTokens'), since('cachedWriteTokens')];
  const rest = all === null || input === null || output === null ? null : all - input - output;
  const isInside = (part: number, other: number): boolean | null => {
    if (part === 0 || rest === 0) return true;
    if (rest === part + other) return false;
    return part === other || (rest !== part && rest !== other) ? null : rest === other;
  };
  const [cached, thought] = [(read ?? 0) + (write ?? 0), reasoning ?? 0];
  const own = (count: number | null, part: number, other: number, name: string): number | null => {
    const inside = isInside(part, other);
    return inside === null ? null : inside ? numbers.without(count, [part], name) : count;
  };
  return {
    input: own(input, cached, thought, 'inputTokens'),
    output: own(output, thought, cached, 'outputTokens'),
    reasoning,
    cache_read: read,
    cache_write: write,
  };
}
