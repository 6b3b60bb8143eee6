import { InvalidArgumentError } from '@commander-js/extra-typings';
import { LONGEST_TIMER_SECS } from '../../lib/longest-timer.js';
import { MAX_CONCURRENCY } from '../../lib/max-concurrency.js';

/** For a repeatable flag whose values may be comma-separated lists. */
export const list = (value: string, before: string[]): string[] => [
  ...before,
  ...value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
];

/** For a repeatable flag whose values are not split. */
export const each = (value: string, before: string[]): string[] => [...before, value];

/** A number above 0, fractions allowed. */
export const positive = (value: string): number => {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('expected a number above 0');
  return number;
};

/** A number of seconds that a timer supports. */
export const seconds = (value: string): number => {
  const number = positive(value);
  if (number <= LONGEST_TIMER_SECS) return number;
  throw new InvalidArgumentError(`expected at most ${LONGEST_TIMER_SECS} seconds`);
};

/** A whole number from 1. */
export const count = (value: string): number => {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('expected a whole number of at least 1');
  return Number(value);
};

/** A number of cells that may run at once. */
export const atMostConcurrency = (value: string): number => {
  const number = count(value);
  if (number <= MAX_CONCURRENCY) return number;
  throw new InvalidArgumentError(`expected at most ${MAX_CONCURRENCY}`);
};

/** A whole number from 0. */
export const tier = (value: string): number => {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('expected a whole number of at least 0');
  return Number(value);
};
