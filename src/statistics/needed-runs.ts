import { isTested, sum, type Count, type Stratum } from './counts.js';
import { meanDifference } from './miettinen-nurminen.js';
import { normalQuantileOfTail } from './normal.js';
import { mostExtreme, testDifference } from './test-difference.js';

/** A difference that is to be shown: with this probability, at this level. */
export interface ToShow {
  /** From 0 to 1; its sign does not matter. */
  difference: number;
  alpha: number;
  power: number;
}

/**
 * Returns how many more runs each configuration needs on each side, so that a true difference of this size is shown with
 * this power; null if no configuration has runs on both sides. Pass rates are estimated from the runs so far.
 */
export function neededRuns(strata: readonly Stratum[], toShow: ToShow): number | null {
  const tested = strata.filter(isTested);
  if (tested.length === 0) return null;
  const unseen = Math.max(0, Math.abs(toShow.difference) - Math.abs(meanDifference(tested)));
  const done = sum(tested, ({ base, head }) => base.tested + head.tested) / (2 * tested.length);
  return Math.max(0, Math.ceil(runsToShow(tested.map(bothSides), { ...toShow, unseen }) - done));
}

export const bothSides = ({ base, head }: Stratum): Count => ({
  passed: base.passed + head.passed,
  tested: base.tested + head.tested,
});

/**
 * Returns how many runs each configuration needs on each side, not rounded. The number of J. T. Casagrande, M. C. Pike and P. G. Smith,
 * "An improved approximate formula for calculating sample sizes for comparing two binomial distributions", Biometrics 34
 * (1978) 483-486, for the mean over configurations. `runs`: those of each configuration so far, of both sides together. `unseen`: the
 * part of the difference that they have not shown.
 */
export function runsToShow(
  runs: readonly Count[],
  { difference, unseen = Math.abs(difference), alpha, power }: ToShow & { unseen?: number },
): number {
  const z = normalQuantileOfTail(alpha / 2) + normalQuantileOfTail(1 - power);
  const variance = 2 * meanVariance(runs, unseen);
  const size = Math.abs(difference) * runs.length;
  const uncorrected = (z * z * variance) / (size * Math.abs(difference));
  return (uncorrected * (1 + Math.sqrt(1 + 4 / (uncorrected * size))) ** 2) / 4;
}

/**
 * Returns the mean variance of an outcome at the mean pass rate of both sides, as it would be if the unseen part of the difference lay
 * towards 50 %, where outcomes vary most. One pass and one failure are added, because few runs tell little about rates near 0 and 1.
 */
export function meanVariance(runs: readonly Count[], unseen: number): number {
  const varianceOf = ({ passed, tested }: Count): number => {
    const fromMiddle = Math.max(0, Math.abs((passed + 1) / (tested + 2) - 0.5) - unseen / 2);
    return 0.25 - fromMiddle ** 2;
  };
  return sum(runs, varianceOf) / runs.length;
}

/**
 * Returns the smallest difference that so many runs of each configuration on each side show with this power; null if not even the largest
 * one is shown. `sofar`: the runs of each configuration so far, of both sides together.
 */
export function smallestToShow(
  sofar: readonly Count[],
  { runs, alpha, power }: Omit<ToShow, 'difference'> & { runs: number },
): number | null {
  if (runs < ALWAYS_ENOUGH && !canShow(sofar.length, { runs, alpha })) return null;
  const isShown = (difference: number): boolean => runsToShow(sofar, { difference, alpha, power }) <= runs;
  if (!isShown(1)) return null;
  let [low, high] = [0, 1];
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (isShown(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** With so many runs, all against none are significant at any usual level. */
const ALWAYS_ENOUGH = 20;

function canShow(configurations: number, { runs, alpha }: { runs: number; alpha: number }): boolean {
  const none = { passed: 0, tested: runs };
  const most = Array.from({ length: configurations }, () => mostExtreme({ base: none, head: none }));
  return testDifference(most, { alpha }).verdict !== 'too few runs';
}
