import { suggest } from '#lib';
import type { Nouns } from './source.js';

const MAX_QUOTED = 60;

/** Quotes a text for a message, as `'text'`: on one line, without control characters, shortened if it is long. */
export function quote(text: string): string {
  const line = JSON.stringify(text.slice(0, MAX_QUOTED)).slice(1, -1).replaceAll('\\"', '"');
  return `'${line}${text.length > MAX_QUOTED ? '...' : ''}'`;
}

/** `a, b or c` */
export function oneOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

/** `missing: expected a string` if the input is undefined, else `expected a string, got 3`. */
export function versus(expected: string, input: unknown, nouns: Nouns): string {
  return input === undefined
    ? `missing: expected ${expected}`
    : `expected ${expected}, got ${describeValue(input, nouns)}`;
}

/** `did you mean 'evaluation'?` Null if no known word is similar, or `word` is not a string. */
export function didYouMean(word: unknown, known: readonly string[]): string | null {
  const near = typeof word === 'string' ? suggest(word, known) : null;
  return near === null ? null : `did you mean ${quote(near)}?`;
}

function describeValue(value: unknown, nouns: Nouns): string {
  if (value === null || value === undefined) return 'nothing';
  if (value === '') return 'an empty string';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length > 0 ? nouns.list : nouns.list.replace(/^an? /, 'an empty ');
  return value instanceof Date ? 'a date' : nouns.map;
}
