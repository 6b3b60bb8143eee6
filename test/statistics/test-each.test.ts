import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stepDownMinP, testEach } from '../../src/statistics/test-each.js';
import { testDifference } from '../../src/statistics/test-difference.js';
import { anyStrata, strata, type Numbers } from './arbitrary.js';

const alpha = 0.05;
const repeated = (numbers: Numbers, count: number) => strata(...Array.from({ length: count }, () => numbers));

describe('stepDownMinP', () => {
  test('equals an enumeration of all outcomes in Python', () => {
    const found = stepDownMinP(strata([10, 10, 3, 10], [9, 10, 9, 10], [8, 10, 4, 10], [5, 5, 5, 5]));
    expect(found[0]).toBeCloseTo(0.003808219117481193, 12);
    expect(found[1]).toBeCloseTo(1, 12);
    expect(found[2]).toBeCloseTo(0.16980233388902122, 12);
    expect(found[3]).toBeCloseTo(1, 12);
  });
  test('costs a configuration nothing beside others whose runs all passed', () => {
    const [alone] = stepDownMinP(strata([10, 10, 4, 10]));
    const [among] = stepDownMinP([...strata([10, 10, 4, 10]), ...repeated([10, 10, 10, 10], 30)]);
    expect(among).toBeCloseTo(alone ?? NaN, 12);
  });
  test('is never smaller with one more configuration, and keeps the order of the p values', () => {
    fc.assert(
      fc.property(anyStrata(6, 12), (all) => {
        const [first = NaN] = stepDownMinP(all);
        const [alone = NaN] = stepDownMinP(all.slice(0, 1));
        expect(first).toBeGreaterThanOrEqual(alone * (1 - 1e-9));
        expect(first).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('testEach', () => {
  test('says that there are too few runs where no outcome could have been found among so many', () => {
    expect(testEach(repeated([4, 4, 0, 4], 10), { alpha }).map(({ verdict }) => verdict)).toEqual(
      Array.from({ length: 10 }, () => 'too few runs'),
    );
  });
  test('tests a single configuration like a total', () => {
    const one = strata([9, 10, 3, 10]);
    expect(testEach(one, { alpha })[0]).toMatchObject(testDifference(one, { alpha }));
  });
  test('agrees with its interval, and leaves untested configurations in their places', () => {
    fc.assert(
      fc.property(anyStrata(5, 15), (all) => {
        const untested = strata([0, 0, 1, 1]);
        const found = testEach([...untested, ...all], { alpha });
        expect(found).toHaveLength(all.length + 1);
        expect(found[0]?.verdict).toBe('nothing to compare');
        for (const { adjusted_p, p, interval, verdict } of found.slice(1)) {
          expect(adjusted_p).toBeGreaterThanOrEqual(p ?? NaN);
          expect((interval?.low ?? NaN) > 0).toBe(verdict === 'better');
          expect((interval?.high ?? NaN) < 0).toBe(verdict === 'worse');
        }
      }),
      { numRuns: 50 },
    );
  });
});
