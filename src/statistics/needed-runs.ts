import { isTested, sum, type Stratum } from './counts.js';
import { meanDifference } from './miettinen-nurminen.js';
import { normalQuantileOfTail } from './normal.js';

/**
 * Returns how many more runs each configuration needs on each side, so that a true difference of this size is shown with
 * this power; null if no configuration has runs on both sides. The number of J. T. Casagrande, M. C. Pike and P. G. Smith,
 * "An improved approximate formula for calculating sample sizes for comparing two binomial distributions", Biometrics 34
 * (1978) 483-486, for the mean over configurations, with pass rates estimated from the runs so far.
 */
export function neededRuns(
  strata: readonly Stratum[],
  { difference, alpha, power }: { difference: number; alpha: number; power: number },
): number | null {
  const tested = strata.filter(isTested);
  if (tested.length === 0) return null;
  const z = normalQuantileOfTail(alpha / 2) + normalQuantileOfTail(1 - power);
  const unseen = Math.max(0, Math.abs(difference) - Math.abs(meanDifference(tested)));
  const variance = sum(tested, (stratum) => 2 * varianceOf(stratum, unseen)) / tested.length;
  const size = Math.abs(difference) * tested.length;
  const uncorrected = (z * z * variance) / (size * Math.abs(difference));
  const corrected = (uncorrected * (1 + Math.sqrt(1 + 4 / (uncorrected * size))) ** 2) / 4;
  const done = sum(tested, ({ base, head }) => base.tested + head.tested) / (2 * tested.length);
  return Math.max(0, Math.ceil(corrected - done));
}

/**
 * Variance of an outcome at the mean pass rate of both sides, as it would be if the unseen part of the difference lay towards
 * 50 %, where outcomes vary most. One pass and one failure are added, because few runs tell little about rates near 0 and 1.
 */
function varianceOf({ base, head }: Stratum, unseen: number): number {
  const share = (base.passed + head.passed + 1) / (base.tested + head.tested + 2);
  const fromMiddle = Math.max(0, Math.abs(share - 0.5) - unseen / 2);
  return 0.25 - fromMiddle ** 2;
}
