import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Stratum } from '../../src/statistics/counts.js';
import { testDifference } from '../../src/statistics/test-difference.js';
import { testFamily } from '../../src/statistics/test-family.js';

const LEVEL = { alpha: 0.05 };
const stratum = (base: number, head: number, tested: number): Stratum => ({
  base: { passed: base, tested },
  head: { passed: head, tested },
});
const count = fc
  .integer({ min: 0, max: 12 })
  .chain((tested) => fc.record({ passed: fc.integer({ min: 0, max: tested }), tested: fc.constant(tested) }));
const family = fc.array(fc.array(fc.record({ base: count, head: count }), { maxLength: 3 }), {
  maxLength: 6,
});

describe('testFamily', () => {
  test('is the plain test if there is only one', () => {
    for (const strata of [[stratum(2, 9, 10)], [stratum(2, 3, 4), stratum(0, 4, 4)], []]) {
      const test = testDifference(strata, LEVEL);
      expect(testFamily([strata], LEVEL)).toEqual([{ ...test, adjusted_p: test.p }]);
    }
  });

  test('corrects p for the number of tests, and widens the intervals', () => {
    const strata = [stratum(3, 9, 10)];
    const { p, interval, verdict } = testDifference(strata, LEVEL);
    expect(verdict).toBe('better');
    const [first] = testFamily([strata, [stratum(5, 5, 10)], [stratum(6, 5, 10)]], LEVEL);
    expect(first?.adjusted_p).toBeCloseTo(3 * (p ?? NaN), 12);
    expect((first?.interval?.low ?? 1) < (interval?.low ?? 0)).toBe(true);
  });

  test('does not count tests that so few runs cannot decide', () => {
    const strata = [stratum(3, 9, 10)];
    const hopeless = [stratum(0, 2, 2)];
    const [first, second] = testFamily([strata, hopeless, hopeless, hopeless], LEVEL);
    expect(first?.adjusted_p).toBe(testDifference(strata, LEVEL).p);
    expect([first?.verdict, second?.verdict]).toEqual(['better', 'too few runs']);
  });

  test('does not count a test whose smallest possible p only just reaches the level for one test', () => {
    const strata = [stratum(3, 9, 10)];
    const scarce = [stratum(0, 3, 3)];
    const alpha = testDifference(scarce, LEVEL).smallest_p ?? NaN;
    const [first, second] = testFamily([strata, scarce], { alpha });
    expect(first?.adjusted_p).toBe(testDifference(strata, LEVEL).p);
    expect(second?.verdict).toBe('too few runs');
  });

  test('tests later differences at a higher level once earlier ones are shown', () => {
    const clear = [stratum(0, 20, 20)];
    const less = [stratum(6, 14, 20)];
    const { p } = testDifference(less, LEVEL);
    const [, second] = testFamily([clear, less], LEVEL);
    expect(second?.adjusted_p).toBe(p);
    expect(second?.verdict).toBe('better');
  });

  test('shows nothing if the score test rejects 0 and the interval holds it', () => {
    const hopeless = [stratum(0, 0, 2), stratum(0, 0, 4)];
    const uneven: Stratum[] = [
      { base: { passed: 3, tested: 8 }, head: { passed: 10, tested: 11 } },
      { base: { passed: 0, tested: 2 }, head: { passed: 0, tested: 1 } },
    ];
    const { p, verdict, interval } = testDifference(uneven, { alpha: 0.025 });
    expect(p).toBeGreaterThan(0.025);
    expect(interval?.low).toBeLessThan(0);
    expect(verdict).toBe('no difference shown');
    const [, second] = testFamily([hopeless, uneven], LEVEL);
    expect(second?.verdict === 'better').toBe((second?.interval?.low ?? 0) > 0);
  });

  test('verdict, interval and corrected p agree, and no test is shown that is not shown alone', () => {
    fc.assert(
      fc.property(family, (tests) => {
        for (const [at, tested] of testFamily(tests, LEVEL).entries()) {
          const { verdict, interval, adjusted_p: p } = tested;
          const isShown = verdict === 'better' || verdict === 'worse';
          if (interval === null || p === null) {
            expect(verdict).toBe('nothing to compare');
            continue;
          }
          if (isShown) expect(p).toBeLessThanOrEqual(LEVEL.alpha);
          expect(interval.low > 0 || interval.high < 0).toBe(isShown);
          if (isShown) expect(testDifference(tests[at] ?? [], LEVEL).verdict).toBe(verdict);
        }
      }),
    );
  });
});
