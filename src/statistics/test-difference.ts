import { boschloo, midP } from './boschloo.js';
import { isStratumTested, type Count, type Interval, type Stratum } from './counts.js';
import { meanDifference, scoreInterval, scoreStatistic } from './miettinen-nurminen.js';
import { normalQuantileOfTail, normalTail } from './normal.js';

/**
 * `no difference shown`: there may still be one. `too few runs`: no outcome of so few runs could show a difference.
 * `nothing to compare`: no configuration has runs on both sides.
 */
export type DifferenceVerdict = 'better' | 'worse' | 'no difference shown' | 'too few runs' | 'nothing to compare';

export interface TestedDifference {
  /** Mean over configurations of the pass rate of head minus that of base. */
  difference: number | null;
  interval: Interval | null;
  p: number | null;
  /** No outcome of as many runs has a smaller p. */
  smallest_p: number | null;
  verdict: DifferenceVerdict;
}

export const NOTHING_TESTED: TestedDifference = {
  difference: null,
  interval: null,
  p: null,
  smallest_p: null,
  verdict: 'nothing to compare',
};

/**
 * Tests whether head passes more or less often than base. p is that of the score test that the interval inverts, or, if
 * there are too few runs for its normal approximation and the p of an exact test is larger, that one. An interval that
 * excludes 0 although p is above alpha is extended to 0. So p, verdict and interval always agree. `atLeast`: p is no
 * smaller.
 */
export function testDifference(
  strata: readonly Stratum[],
  { alpha, atLeast = 0 }: { alpha: number; atLeast?: number },
): TestedDifference {
  const tested = strata.filter(isStratumTested);
  if (tested.length === 0) return NOTHING_TESTED;
  const difference = meanDifference(tested);
  const p = Math.max(pOf(tested), atLeast);
  const smallest = smallestP(tested);
  const interval = scoreInterval(tested, normalQuantileOfTail(alpha / 2));
  return { difference, p, smallest_p: smallest, ...decide({ difference, p, smallest, interval, alpha }) };
}

/** Returns the verdict, and the interval extended to 0 unless the verdict is that there is a difference. */
export function decide({
  difference,
  p,
  smallest,
  interval,
  alpha,
}: {
  difference: number;
  p: number;
  smallest: number;
  interval: Interval;
  alpha: number;
}): { verdict: DifferenceVerdict; interval: Interval } {
  // The p of an adjusted or an exact test is not that of the interval.
  const isExcluded = interval.low > 0 || interval.high < 0;
  if (p <= alpha && isExcluded) return { verdict: difference > 0 ? 'better' : 'worse', interval };
  return {
    verdict: smallest > alpha ? 'too few runs' : 'no difference shown',
    interval: { low: Math.min(0, interval.low), high: Math.max(0, interval.high) },
  };
}

/** Returns the smallest p of any outcome of as many runs; 1 if no configuration has runs on both sides. */
export const smallestPossible = (strata: readonly Stratum[]): number => smallestP(strata.filter(isStratumTested));

/**
 * The smallest p is that of an outcome in which all runs of head pass and none of base: in all configurations or,
 * because one with few runs adds more variance than difference, only in those with the most runs.
 */
function smallestP(strata: readonly Stratum[]): number {
  const sizes = strata.map(({ base, head }) => 1 / base.tested + 1 / head.tested);
  return Math.min(
    1,
    ...[...new Set(sizes)].map((most) =>
      pOf(strata.map((stratum, at) => ((sizes[at] ?? 0) <= most ? mostExtreme(stratum) : alike(stratum)))),
    ),
  );
}

/** The outcome without a difference that adds least variance. */
function alike({ base, head }: Stratum): Stratum {
  const of = ({ tested }: Count): Count => ({ passed: base.tested < head.tested ? tested : 0, tested });
  return { base: of(base), head: of(head) };
}

export const mostExtreme = ({ base, head }: Stratum): Stratum => ({
  base: { passed: 0, tested: base.tested },
  head: { passed: head.tested, tested: head.tested },
});

export function pOf(strata: readonly Stratum[]): number {
  const score = scoreStatistic(strata, 0);
  const p = Math.min(1, 2 * normalTail(weakestScore(strata, score)));
  const possible = possiblePasses(strata);
  // With very different numbers of runs, the two tests can point in different directions. Then nothing is shown.
  if (sign(possible.observed - possible.expected) !== sign(score)) return 1;
  return strata.length > 1 && isApproximate(possible) ? p : Math.max(p, exactP(strata));
}

/** Differences on the other side of 0, closer to each other near 0, where scores are smallest. */
export const BEYOND = Array.from({ length: 64 }, (_, at) => ((at + 1) / 64) ** 2);

/**
 * Returns the smallest size of a score of 0 and of the differences beyond it. A configuration whose runs all passed, or
 * all failed, has no variance at 0 and some beside it: 0 can be rejected although the interval holds values on both
 * sides of it.
 */
function weakestScore(strata: readonly Stratum[], score: number): number {
  const size = Math.abs(score);
  if (size < 1 || !strata.some(isConstant)) return size;
  return BEYOND.reduce(
    (weakest, by) => Math.min(weakest, Math.abs(scoreStatistic(strata, -Math.sign(score) * by))),
    size,
  );
}

export const isConstant = ({ base, head }: Stratum): boolean =>
  [0, base.tested + head.tested].includes(base.passed + head.passed);

/** Boschloo's test for one configuration, and the conditional mid-p for several. */
export function exactP(strata: readonly Stratum[]): number {
  const [only, ...others] = strata;
  return only !== undefined && others.length === 0 ? boschloo(only) : midP(strata);
}

/** Passes in head, given those of both sides together. */
export interface PossiblePasses {
  observed: number;
  expected: number;
  fewest: number;
  most: number;
}

export function possiblePasses(strata: readonly Stratum[]): PossiblePasses {
  const possible = { observed: 0, expected: 0, fewest: 0, most: 0 };
  for (const { base, head } of strata) {
    const passed = base.passed + head.passed;
    possible.observed += head.passed;
    possible.expected += (head.tested * passed) / (base.tested + head.tested);
    possible.fewest += Math.max(0, passed - base.tested);
    possible.most += Math.min(passed, head.tested);
  }
  return possible;
}

/**
 * Mantel and Fleiss require 5. In simulations, 4 is enough to keep the type I error below .06
 * (specs/explanation/statistics.md).
 */
const FAR_FROM_ENDS = 4;

/**
 * Returns whether the normal approximation is good enough: N. Mantel and J. L. Fleiss, "Minimum expected cell size
 * requirements for the Mantel-Haenszel one-degree-of-freedom chi-square test", American J. of Epidemiology 112 (1980)
 * 129-134.
 */
export const isApproximate = ({ expected, fewest, most }: Omit<PossiblePasses, 'observed'>): boolean =>
  Math.min(expected - fewest, most - expected) > FAR_FROM_ENDS;

const sign = (value: number): number => (Math.abs(value) < 1e-9 ? 0 : Math.sign(value));
