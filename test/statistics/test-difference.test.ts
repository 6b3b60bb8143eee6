import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Stratum } from '../../src/statistics/counts.js';
import { boschloo, midP } from '../../src/statistics/boschloo.js';
import { scoreInterval, equivalent, notWorse } from '../../src/statistics/miettinen-nurminen.js';
import { neededRuns } from '../../src/statistics/needed-runs.js';
import { decide, testDifference } from '../../src/statistics/test-difference.js';
import { anyStrata, strata, stratum, swapped, type Numbers } from './arbitrary.js';

const alpha = 0.05;

// Where nothing else is said, base R gives the same values: references/reference-values.R.txt.
describe('boschloo', () => {
  test.each<[Numbers, number]>([
    [[3, 3, 0, 3], 0.03125],
    [[8, 10, 5, 10], 0.19733869483626804],
    [[6, 10, 9, 10], 0.15101944183964006],
    [[50, 100, 65, 100], 0.03392582197594506],
  ])('of as many runs on both sides %j equals boschloo_exact of scipy 1.17.1: %d', (numbers, p) => {
    expect(boschloo(stratum(numbers))).toBeCloseTo(p, 7);
  });
  // Summed in Python over all tables whose smaller one-sided p of stats.hypergeom is at most the observed one.
  test.each<[Numbers, number]>([
    [[7, 15, 12, 13], 0.013212174177169812],
    [[1, 4, 6, 7], 0.05957031250000003],
    [[2, 9, 5, 6], 0.02569580078125001],
  ])('of unequal numbers of runs %j equals an enumeration of all outcomes: %d', (numbers, p) => {
    expect(boschloo(stratum(numbers))).toBeCloseTo(p, 7);
  });
});

describe('midP', () => {
  // Summed in Python with stats.hypergeom.pmf of scipy 1.17.1.
  test.each<[Numbers[], number]>([
    [[[8, 10, 5, 10]], 0.20356037151702785],
    [
      [
        [0, 5, 0, 6],
        [0, 6, 3, 6],
        [2, 6, 6, 6],
        [6, 6, 5, 6],
        [5, 5, 2, 2],
      ],
      0.02134986225895317,
    ],
    [
      [
        [3, 5, 5, 5],
        [1, 4, 3, 6],
      ],
      0.1560846560846561,
    ],
  ])('of %j equals an enumeration of all outcomes: %d', (numbers, p) => {
    expect(midP(strata(...numbers))).toBeCloseTo(p, 12);
  });
});

describe('scoreInterval', () => {
  // R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890, table II, method 6; the same by an implementation that
  // maximises the restricted likelihood numerically: references/reference-values.py.txt.
  test.each<[Numbers, number, number]>([
    [[48, 80, 56, 70], 0.0528, 0.3382],
    [[3, 10, 9, 10], 0.17, 0.8406],
    [[2, 7, 6, 7], 0.0342, 0.8534],
    [[0, 29, 5, 56], -0.0326, 0.1933],
    [[0, 20, 0, 10], -0.1658, 0.2844],
    [[0, 10, 0, 10], -0.2879, 0.2879],
    [[0, 20, 10, 10], 0.7156, 1],
    [[0, 10, 10, 10], 0.6636, 1],
  ])('of %j is that of a published table: %d to %d', (numbers, low, high) => {
    const interval = scoreInterval([stratum(numbers)], 1.959963984540054);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });
  test.each<[Numbers[], number, number]>([
    [
      [
        [3, 10, 9, 10],
        [5, 8, 6, 9],
        [2, 7, 6, 7],
      ],
      0.127413,
      0.624711,
    ],
    [
      [
        [9, 10, 7, 10],
        [10, 10, 10, 10],
        [4, 12, 2, 11],
      ],
      -0.309747,
      0.064704,
    ],
  ])('of several configurations %j is that of the same implementation: %d to %d', (numbers, low, high) => {
    const interval = scoreInterval(strata(...numbers), 1.959963984540054);
    expect(interval.low).toBeCloseTo(low, 5);
    expect(interval.high).toBeCloseTo(high, 5);
  });
  test('lies within -1 and 1, contains the difference, and is mirrored with base and head swapped', () => {
    fc.assert(
      fc.property(anyStrata(4, 25), (all) => {
        const { low, high } = scoreInterval(all, 1.96);
        const other = scoreInterval(swapped(all), 1.96);
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(high);
        expect(other.low).toBeCloseTo(-high, 6);
        expect(other.high).toBeCloseTo(-low, 6);
      }),
    );
  });
});

describe('testDifference', () => {
  test('p, verdict and interval always agree', () => {
    fc.assert(
      fc.property(anyStrata(5, 12), (all) => {
        const { difference, interval, p, smallest_p, verdict } = testDifference(all, { alpha });
        if (difference === null || interval === null || p === null || smallest_p === null) throw new Error();
        const shown = verdict === 'better' || verdict === 'worse';
        expect(shown).toBe(p <= alpha);
        expect(interval.low > 0).toBe(verdict === 'better');
        expect(interval.high < 0).toBe(verdict === 'worse');
        expect(interval.low).toBeLessThanOrEqual(difference + 1e-9);
        expect(interval.high).toBeGreaterThanOrEqual(difference - 1e-9);
        if (verdict === 'too few runs') expect(smallest_p).toBeGreaterThan(alpha);
      }),
    );
  });
  /** All outcomes of so many runs of base and head. */
  const outcomesOf = (sizes: readonly [number, number][]): Stratum[][] =>
    sizes.reduce<Stratum[][]>(
      (before, [n, m]) =>
        before.flatMap((some) =>
          Array.from({ length: (n + 1) * (m + 1) }, (_, at) => [
            ...some,
            stratum([at % (n + 1), n, Math.floor(at / (n + 1)), m]),
          ]),
        ),
      [[]],
    );
  test.each<[[number, number][]]>([
    [[[4, 4]]],
    [
      [
        [3, 3],
        [3, 3],
      ],
    ],
    [
      [
        [2, 3],
        [4, 1],
      ],
    ],
    [
      [
        [8, 8],
        [1, 1],
      ],
    ],
    [
      [
        [6, 9],
        [1, 2],
      ],
    ],
    [
      [
        [3, 3],
        [2, 2],
        [3, 3],
      ],
    ],
  ])('the smallest p is that of the most extreme of all outcomes of %j runs', (sizes) => {
    const tests = outcomesOf(sizes).map((outcome) => testDifference(outcome, { alpha }));
    const smallest = Math.min(...tests.map(({ p }) => p ?? NaN));
    for (const { smallest_p } of tests) expect((smallest_p ?? NaN) / smallest).toBeCloseTo(1, 6);
    for (const { p, verdict } of tests) expect((p ?? NaN) <= alpha).toBe(verdict === 'better' || verdict === 'worse');
  });
  test('says the opposite with base and head swapped', () => {
    const opposite = { better: 'worse', worse: 'better' } as Record<string, string>;
    fc.assert(
      fc.property(anyStrata(4, 12), (all) => {
        const [one, other] = [testDifference(all, { alpha }), testDifference(swapped(all), { alpha })];
        expect(other.verdict).toBe(opposite[one.verdict] ?? one.verdict);
        expect(other.p).toBeCloseTo(one.p ?? NaN, 8);
      }),
      {
        numRuns: 50,
        // The pass rate of the second configuration is 1 on both sides: a triple root of the cubic.
        examples: [[strata([0, 5, 1, 6], [10, 10, 4, 4], [2, 6, 0, 9])]],
      },
    );
  });
  // The score test says .025, .032 and .128.
  test.each<[Numbers[], (all: Stratum[]) => number]>([
    [[[3, 3, 0, 3]], ([only = stratum([0, 0, 0, 0])]) => boschloo(only)],
    [[[50, 100, 65, 100]], ([only = stratum([0, 0, 0, 0])]) => boschloo(only)],
    [
      [
        [3, 5, 5, 5],
        [1, 4, 3, 6],
      ],
      midP,
    ],
  ])('the p of few runs %j is that of an exact test, not the smaller one of the score test', (numbers, exact) => {
    const all = strata(...numbers);
    expect(testDifference(all, { alpha }).p).toBe(exact(all));
  });
  test('is not misled by different mixes: here each configuration got better, while the sums got worse', () => {
    const { difference, verdict } = testDifference(strata([60, 100, 10, 10], [1, 10, 40, 100]), { alpha });
    expect(difference).toBeCloseTo(0.35, 10);
    expect(verdict).toBe('better');
  });
  test('says when no outcome of so few runs could show a difference, and when there is nothing to compare', () => {
    expect(testDifference(strata([2, 2, 0, 2]), { alpha }).verdict).toBe('too few runs');
    expect(testDifference(strata([2, 2, 0, 0]), { alpha }).verdict).toBe('nothing to compare');
    expect(testDifference([], { alpha }).verdict).toBe('nothing to compare');
  });
  test('is sound for 50 configurations of thousands of runs', () => {
    const many = Array.from({ length: 50 }, () => stratum([1500, 3000, 1400, 3000]));
    const { p, verdict, interval } = testDifference(many, { alpha });
    expect(verdict).toBe('worse');
    expect(p).toBeGreaterThan(0);
    expect(p).toBeLessThan(1e-30);
    expect(interval?.low).toBeGreaterThan(-0.04);
  });
});

describe('decide', () => {
  test.each([
    [{ low: -0.6, high: -0.1 }, -0.3, 'worse'],
    [{ low: -0.6, high: 0 }, -0.3, 'no difference shown'],
    [{ low: 0, high: 0.6 }, 0.3, 'no difference shown'],
    [{ low: 0.1, high: 0.6 }, 0.3, 'better'],
  ])('an interval of %j excludes 0 only if it does not end there', (interval, difference, verdict) => {
    const decided = decide({ difference, p: 0.01, smallest: 0.001, interval, alpha });
    expect(decided).toEqual({ verdict, interval });
  });
});

describe('notWorse and equivalent', () => {
  test('hold for a margin that the bound allows, and for every larger one', () => {
    fc.assert(
      fc.property(
        anyStrata(4, 30),
        fc.double({ min: 0.01, max: 0.9, noNaN: true }),
        fc.double({ min: 0, max: 0.1, noNaN: true }),
        (all, margin, more) => {
          const { bound, holds } = notWorse(all, { margin, alpha });
          expect(holds).toBe(bound > -margin);
          if (holds) expect(notWorse(all, { margin: margin + more, alpha }).holds).toBe(true);
          if (equivalent(all, { margin, alpha })) expect(holds).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
  test('does not hold without runs', () => {
    expect(notWorse([], { margin: 0.2, alpha })).toEqual({ bound: -1, holds: false });
  });
});

describe('neededRuns', () => {
  test('is what so many runs lack of the number needed, and falls as configurations are added', () => {
    const options = { difference: 0.2, alpha, power: 0.8 };
    const few = neededRuns(strata([5, 10, 5, 10]), options) ?? NaN;
    expect(few).toBeGreaterThan(90);
    expect(few).toBeLessThan(110);
    expect(neededRuns(strata([5, 10, 5, 10], [5, 10, 5, 10]), options)).toBeLessThan(few / 2);
    expect(neededRuns(strata([500, 1000, 500, 1000]), options)).toBe(0);
    expect(neededRuns(strata([0, 0, 3, 5]), options)).toBeNull();
  });
});
