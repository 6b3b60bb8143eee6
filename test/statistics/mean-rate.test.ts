import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { meanRate } from '../../src/statistics/mean-rate.js';
import { wilsonInterval } from '../../src/statistics/wilson-interval.js';

const LEVEL = { alpha: 0.05 };
const count = fc
  .integer({ min: 1, max: 50 })
  .chain((tested) => fc.record({ passed: fc.integer({ min: 0, max: tested }), tested: fc.constant(tested) }));

describe('meanRate', () => {
  test('gives each configuration the same weight, however many runs it has', () => {
    const mean = meanRate(
      [
        { passed: 1, tested: 1 },
        { passed: 0, tested: 99 },
      ],
      LEVEL,
    );
    expect(mean?.rate).toBe(0.5);
    // As many runs as have the variance of the mean: 4 / (1 + 1/99).
    expect(mean?.interval).toEqual(wilsonInterval({ passed: 1.98, tested: 3.96 }, LEVEL));
  });

  test('has the interval of all runs together if each configuration has as many', () => {
    const mean = meanRate(
      [
        { passed: 3, tested: 5 },
        { passed: 5, tested: 5 },
      ],
      LEVEL,
    );
    const pooled = wilsonInterval({ passed: 8, tested: 10 }, LEVEL);
    expect(mean?.interval.low).toBeCloseTo(pooled?.low ?? NaN, 12);
    expect(mean?.interval.high).toBeCloseTo(pooled?.high ?? NaN, 12);
  });

  test('is unknown if a configuration has no runs', () => {
    expect(meanRate([], LEVEL)).toBeNull();
    expect(
      meanRate(
        [
          { passed: 3, tested: 5 },
          { passed: 0, tested: 0 },
        ],
        LEVEL,
      ),
    ).toBeNull();
  });

  test('lies within its interval, which is within 0 and 1', () => {
    fc.assert(
      fc.property(fc.array(count, { minLength: 1, maxLength: 20 }), (counts) => {
        const { rate = NaN, interval: { low, high } = { low: NaN, high: NaN } } = meanRate(counts, LEVEL) ?? {};
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(rate);
        expect(rate).toBeLessThanOrEqual(high);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });
});
