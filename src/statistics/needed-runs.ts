import { isTested, sum, type Count, type Stratum } from './counts.js';
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
  const variance = sum(tested, ({ base, head }) => varianceOf(base) + varianceOf(head)) / tested.length;
  const size = Math.abs(difference) * tested.length;
  const uncorrected = (z * z * variance) / (size * Math.abs(difference));
  const corrected = (uncorrected * (1 + Math.sqrt(1 + 4 / (uncorrected * size))) ** 2) / 4;
  const done = sum(tested, ({ base, head }) => base.tested + head.tested) / (2 * tested.length);
  return Math.max(0, Math.ceil(corrected - done));
}

function varianceOf({ passed, tested }: Count): number {
  const share = (passed + 0.5) / (tested + 1);
  return share * (1 - share);
}
