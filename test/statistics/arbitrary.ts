import fc from 'fast-check';
import type { Stratum } from '../../src/statistics/counts.js';

/** Passed and tested runs of base, then of head. */
export type Numbers = [basePassed: number, base: number, headPassed: number, head: number];

export const stratum = ([a, n, b, m]: Numbers): Stratum => ({
  base: { passed: a, tested: n },
  head: { passed: b, tested: m },
});
export const strata = (...numbers: Numbers[]): Stratum[] => numbers.map(stratum);

const side = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).chain((tested) => fc.nat(tested).map((passed) => ({ passed, tested })));

/** Strata with runs on both sides. */
export const anyStrata = (count: number, most: number): fc.Arbitrary<Stratum[]> =>
  fc.array(fc.record({ base: side(1, most), head: side(1, most) }), { minLength: 1, maxLength: count });

export const swapped = (all: readonly Stratum[]): Stratum[] =>
  all.map(({ base, head }) => ({ base: head, head: base }));
