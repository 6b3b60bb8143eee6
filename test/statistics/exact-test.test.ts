import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactTest, minimumRuns, meanDifference, smallestP } from '../../src/statistics/exact-test.js';
import type { Stratum } from '../../src/statistics/counts.js';

type Numbers = [basePassed: number, base: number, headPassed: number, head: number];
const stratum = ([a, n, b, m]: Numbers): Stratum => ({
  base: { passed: a, tested: n },
  head: { passed: b, tested: m },
});
const strata = (...numbers: Numbers[]): Stratum[] => numbers.map(stratum);

const side = (most: number) =>
  fc.nat(most).chain((tested) => fc.nat(tested).map((passed) => ({ passed, tested })));
const anyStrata = (count: number, most: number): fc.Arbitrary<Stratum[]> =>
  fc.array(fc.record({ base: side(most), head: side(most) }), { minLength: 1, maxLength: count });
const swapped = (all: Stratum[]): Stratum[] => all.map(({ base, head }) => ({ base: head, head: base }));

/** The same p by counting every possible choice of passing runs. */
function byCounting({ base, head }: Stratum): number {
  const all = base.tested + head.tested;
  const passed = base.passed + head.passed;
  const ways = new Map<number, number>();
  for (let choice = 0; choice < 2 ** all; choice++) {
    const bits = Array.from(choice.toString(2).padStart(all, '0'), Number);
    if (bits.reduce((sum, bit) => sum + bit, 0) !== passed) continue;
    const ofHead = bits.slice(base.tested).reduce((sum, bit) => sum + bit, 0);
    ways.set(ofHead, (ways.get(ofHead) ?? 0) + 1);
  }
  const counts = [...ways.values()];
  const observed = ways.get(head.passed) ?? 0;
  const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
  return sum(counts.filter((count) => count <= observed)) / sum(counts);
}

describe('exactTest', () => {
  test.each<[Numbers, number]>([
    [[3, 3, 0, 3], 0.1],
    [[6, 6, 1, 6], 0.015151515151515152],
    [[12, 12, 2, 12], 6.73038093956118e-5],
    [[1, 10, 9, 10], 0.001093333910671372],
    [[8, 10, 5, 10], 0.3498452012383901],
    [[3, 4, 1, 7], 0.08787878787878788],
    [[5, 5, 5, 5], 1],
    [[50, 100, 65, 100], 0.04493200011130272],
    [[0, 30, 4, 20], 0.0210377768128528],
    [[480, 1000, 530, 1000], 0.0283936963706784],
    [[12, 20, 11, 12], 0.10316163258321212],
  ])('for one configuration %j equals fisher_exact of scipy 1.17: %d', (numbers, p) => {
    expect(exactTest(strata(numbers))).toBeCloseTo(p, 12);
  });

  test('for the rabbits of Mantel (1963) equals mantelhaen.test(Rabbits, exact = TRUE) of R', () => {
    const rabbits = strata([0, 5, 0, 6], [0, 6, 3, 6], [2, 6, 6, 6], [6, 6, 5, 6], [5, 5, 2, 2]);
    expect(exactTest(rabbits)).toBeCloseTo(0.03994490358126722, 12);
  });

  test.each<[Numbers[], number]>([
    [
      [
        [3, 3, 0, 3],
        [3, 3, 1, 3],
      ],
      0.02,
    ],
    [
      [
        [2, 3, 3, 3],
        [1, 4, 3, 4],
        [0, 2, 2, 5],
      ],
      0.07414965986394557,
    ],
    [
      [
        [9, 10, 6, 10],
        [8, 10, 5, 10],
        [10, 10, 10, 10],
      ],
      0.08466725455050848,
    ],
    [
      [
        [5, 5, 2, 5],
        [0, 5, 3, 5],
      ],
      1,
    ],
  ])('for several configurations %j equals the sum over all tables in rational numbers: %d', (numbers, p) => {
    expect(exactTest(strata(...numbers))).toBeCloseTo(p, 12);
  });

  test('stays exact for 50 configurations of 50 runs per side', () => {
    const many = Array.from({ length: 50 }, (_, at) =>
      stratum([40 + ((at * 7) % 11), 50, 38 + ((at * 5) % 13), 50]),
    );
    // Computed with whole numbers in Python.
    expect(exactTest(many)).toBeCloseTo(0.03633753866211582, 10);
  });

  test('is never 0, even for a probability that is almost too small for a number', () => {
    const extreme = Array.from({ length: 50 }, () => stratum([50, 50, 0, 50]));
    expect(exactTest(extreme)).toBeGreaterThan(0);
    expect(exactTest(extreme)).toBeLessThan(1e-300);
  });

  test('for one configuration equals the result of counting every choice', () => {
    fc.assert(
      fc.property(side(5), side(5), (base, head) => {
        expect(exactTest([{ base, head }])).toBeCloseTo(byCounting({ base, head }), 10);
      }),
      { numRuns: 60 },
    );
  });

  test('is above 0, at most 1, and the same with base and head swapped', () => {
    fc.assert(
      fc.property(anyStrata(6, 30), (all) => {
        const p = exactTest(all);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(exactTest(swapped(all))).toBeCloseTo(p, 10);
      }),
    );
  });

  test('does not change with a configuration in which all runs pass', () => {
    fc.assert(
      fc.property(anyStrata(4, 12), fc.integer({ min: 1, max: 9 }), (all, runs) => {
        expect(exactTest([...all, stratum([runs, runs, runs, runs])])).toBeCloseTo(exactTest(all), 10);
      }),
    );
  });
});

describe('smallestP', () => {
  test('is the p of runs that all pass on one side and all fail on the other, as far as the counts allow', () => {
    expect(smallestP(strata([3, 3, 3, 3]))).toBeCloseTo(0.1, 12);
    expect(smallestP(strata([0, 6, 2, 3]))).toBeCloseTo(1 / 84, 12);
    expect(smallestP(strata([1, 3, 1, 3], [3, 3, 3, 3]))).toBeCloseTo(2 / 400, 12);
    expect(smallestP(strata([1, 1, 0, 1]))).toBe(1);
  });
  test('no outcome of as many runs gives a smaller p', () => {
    fc.assert(
      fc.property(anyStrata(4, 12), (all) => {
        expect(exactTest(all)).toBeGreaterThanOrEqual(smallestP(all) * (1 - 1e-6));
      }),
    );
  });
});

test('minimumRuns is the smallest number of runs that can show a difference', () => {
  expect([1, 2, 3, 6].map((count) => minimumRuns(count, 0.05))).toEqual([4, 3, 2, 1]);
});

describe('meanDifference', () => {
  test('is the difference of the rates, weighted by the numbers of runs on both sides', () => {
    expect(meanDifference(strata([6, 6, 1, 6]))).toBeCloseTo(-5 / 6, 12);
    // 3 * 3 / 6 and 1 * 1 / 2 runs: -1 and +1
    expect(meanDifference(strata([3, 3, 0, 3], [0, 1, 1, 1]))).toBeCloseTo(-0.5, 12);
    expect(meanDifference(strata([3, 3, 0, 0]))).toBeNull();
    expect(meanDifference([])).toBeNull();
  });
  test('is not misled by different mixes: here each configuration got better, while the sums got worse', () => {
    const mixed = strata([9, 10, 2, 2], [1, 10, 18, 90]);
    expect(20 / 92).toBeLessThan(10 / 20);
    expect(meanDifference(mixed)).toBeGreaterThan(0);
  });
  test('changes its sign when base and head are swapped', () => {
    fc.assert(
      fc.property(anyStrata(5, 20), (all) => {
        const difference = meanDifference(all);
        const other = meanDifference(swapped(all));
        expect(other === null ? null : other + (difference ?? NaN)).toSatisfy(
          (sum: number | null) => sum === null || Math.abs(sum) < 1e-12,
        );
      }),
    );
  });
});
