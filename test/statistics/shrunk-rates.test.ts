import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shrunkRates } from '../../src/statistics/shrunk-rates.js';

const alpha = 0.05;
const countsOf = (passed: readonly number[], tested: number) => passed.map((one) => ({ passed: one, tested }));
const ratesOf = (passed: readonly number[], tested: number) =>
  (shrunkRates(countsOf(passed, tested), { alpha }) ?? []).map(({ rate }) => rate);

describe('shrunkRates', () => {
  test('draws rates towards each other, the more the less they vary', () => {
    const alike = ratesOf([1, 2, 2, 1, 2, 2, 1, 2], 3);
    expect(Math.max(...alike) - Math.min(...alike)).toBeLessThan(0.15);
    const apart = ratesOf([0, 3, 3, 0, 3, 0, 3, 0], 3);
    expect(Math.min(...apart)).toBeLessThan(0.15);
    expect(Math.max(...apart)).toBeGreaterThan(0.85);
  });

  test('hardly moves rates of many runs', () => {
    const passed = [20, 180, 100, 60, 140, 190];
    for (const [at, rate] of ratesOf(passed, 200).entries())
      expect(Math.abs(rate - (passed[at] ?? 0) / 200)).toBeLessThan(0.01);
  });

  test('exchanging passes and failures mirrors rates and intervals; the order of scenarios does not matter', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 6, maxLength: 10 }), (passed) => {
        const found = shrunkRates(countsOf(passed, 5), { alpha }) ?? [];
        const mirrored = shrunkRates(
          countsOf(
            passed.map((one) => 5 - one),
            5,
          ),
          { alpha },
        );
        for (const [at, { rate, interval }] of found.entries()) {
          expect(mirrored?.[at]?.rate).toBeCloseTo(1 - rate, 6);
          expect(mirrored?.[at]?.interval.low).toBeCloseTo(1 - interval.high, 2);
          expect(interval.low).toBeLessThanOrEqual(rate);
          expect(interval.high).toBeGreaterThanOrEqual(rate);
        }
        const reversed = shrunkRates(countsOf([...passed].reverse(), 5), { alpha }) ?? [];
        expect(reversed.reverse().map(({ rate }) => rate.toFixed(9))).toEqual(found.map(({ rate }) => rate.toFixed(9)));
      }),
      { numRuns: 10 },
    );
  });

  test('a scenario that always passed may always pass', () => {
    const [first] = shrunkRates(countsOf([3, 0, 1, 2, 3, 1], 3), { alpha }) ?? [];
    expect(first?.interval.high).toBe(1);
  });

  test('is unknown for fewer than 6 scenarios', () => {
    expect(shrunkRates(countsOf([1, 2, 3, 1, 2], 3), { alpha })).toBeNull();
  });
});
