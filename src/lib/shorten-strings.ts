import { beginningOf } from './format/truncate.js';

/** Returns a copy of JSON in which every string has at most `max` characters; shortened ones end with an ellipsis. */
export function shortenStrings<T>(value: T, max: number): T;
export function shortenStrings(value: unknown, max: number): unknown {
  if (typeof value === 'string') return beginningOf(value, max);
  if (Array.isArray(value)) return value.map((each) => shortenStrings<unknown>(each, max));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, shortenStrings<unknown>(each, max)]),
  );
}
