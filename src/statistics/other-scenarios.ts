import { mean } from '../lib/mean.js';
import { isTested, sum, type Interval, type Stratum } from './counts.js';
import { meanDifference, scoreInterval } from './miettinen-nurminen.js';
import { normalQuantileOfTail } from './normal.js';
import { tQuantileOfTail } from './student-t.js';

/** From fewer scenarios, it is not known how much scenarios vary. */
const FEWEST = 6;

export interface OtherScenarios {
  /** How many scenarios have runs on both sides. */
  scenarios: number;
  /** Mean over scenarios of the difference of pass rates, whatever their numbers of configurations. */
  difference: number;
  interval: Interval;
}

/**
 * Returns the difference to expect of other scenarios like these; null for fewer than 6. The scenarios are taken as a sample:
 * Student's t interval of their differences, which vary more than runs of the same scenarios do. Where the scenarios happen
 * to be alike, because all runs passed for example, it is extended to the interval of these scenarios, since others cannot
 * be known better. E. Miller, "Adding error bars to evals", arXiv:2411.00640 (2024), on questions as a sample.
 */
export function otherScenarios(
  scenarios: readonly (readonly Stratum[])[],
  { alpha }: { alpha: number },
): OtherScenarios | null {
  const tested = scenarios.map((strata) => strata.filter(isTested)).filter(({ length }) => length > 0);
  if (tested.length < FEWEST) return null;
  const differences = tested.map(meanDifference);
  const difference = mean(differences) ?? NaN;
  const variance = sum(differences, (one) => (one - difference) ** 2) / (tested.length - 1);
  const half = tQuantileOfTail(alpha / 2, tested.length - 1) * Math.sqrt(variance / tested.length);
  const ofThese = scoreInterval(tested.flat(), normalQuantileOfTail(alpha / 2));
  return {
    scenarios: tested.length,
    difference,
    interval: {
      low: Math.max(-1, Math.min(difference - half, ofThese.low)),
      high: Math.min(1, Math.max(difference + half, ofThese.high)),
    },
  };
}
