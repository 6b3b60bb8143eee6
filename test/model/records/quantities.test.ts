import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isCount, isUsd, sumOfCounts } from '../../../src/lib/quantities.js';
import { Count, Usd } from '../../../src/model/records/quantities.js';

const MOST = Number.MAX_SAFE_INTEGER;
const number = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, -1, 0.5, MOST, MOST + 1, -MOST, Infinity, NaN),
  fc.constantFrom(null, '5', true, [], {}),
);

it('checks a number as its schema does', () => {
  fc.assert(
    fc.property(number, (value) => {
      expect(isCount(value)).toBe(Count.safeParse(value).success);
      expect(isUsd(value)).toBe(Usd.safeParse(value).success);
    }),
  );
});

it('accepts what is finite, not negative and exact, and counts only if they are whole', () => {
  expect([0, 1, MOST].every(isCount)).toBe(true);
  expect([-1, 0.5, MOST + 1, NaN, Infinity, '1', null].some(isCount)).toBe(false);
  expect([0, 0.5, MOST].every(isUsd)).toBe(true);
  expect([-0.01, MOST + 1, NaN, Infinity, '1', null].some(isUsd)).toBe(false);
});

it('adds up counts, unless one is unknown or the sum cannot be exact', () => {
  expect(sumOfCounts([1, 2, 3])).toBe(6);
  expect(sumOfCounts([1, null])).toBeNull();
  expect(sumOfCounts([MOST, 1])).toBeNull();
  expect(sumOfCounts([])).toBe(0);
});
