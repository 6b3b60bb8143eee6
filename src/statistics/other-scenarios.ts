import { mean } from '#lib';
import { isStratumTested, rate, sum, type Interval, type Stratum } from './counts.js';
import { meanDifference, scoreInterval } from './miettinen-nurminen.js';
import { normalQuantileOfTail } from './normal.js';
import { tQuantileOfTail } from './student-t.js';

/** From fewer scenarios, it is not known how much scenarios vary. */
const FEWEST = 6;

export interface OtherScenarios {
  /** The number of scenarios that have runs on both sides. */
  scenarios: number;
  /** Mean over scenarios of the difference of pass rates, whatever their numbers of configurations. */
  difference: number;
  interval: Interval;
  /** Null: a configuration has a single run on a side, which says nothing about how much its runs vary. */
  variance: Variance | null;
}

/** Where differences come from, as variances of shares. */
export interface Variance {
  /** Between scenarios, of their pass rates. */
  scenario: number;
  /** Between scenarios, of the difference of both sides. */
  difference: number;
  /** Between runs of the same scenario: what they add to the difference of a scenario. */
  runs: number;
}

/**
 * Returns the difference to expect of other scenarios like these; null for fewer than 6. The scenarios are taken as a
 * sample: Student's t interval of their differences, which vary more than runs of the same scenarios do. Where the
 * scenarios happen to be alike, because all runs passed for example, it is extended to the interval of these scenarios,
 * since others cannot be known better. `atLeast`: another interval of these scenarios, for a sweep that was looked at
 * several times. E. Miller, "Adding error bars to evals", arXiv:2411.00640 (2024), on questions as a sample.
 */
export function otherScenarios(
  scenarios: readonly (readonly Stratum[])[],
  { alpha, atLeast }: { alpha: number; atLeast?: Interval | null },
): OtherScenarios | null {
  const tested = scenarios.map((strata) => strata.filter(isStratumTested)).filter(({ length }) => length > 0);
  if (tested.length < FEWEST) return null;
  const differences = tested.map(meanDifference);
  const ofThese = atLeast ?? scoreInterval(tested.flat(), normalQuantileOfTail(alpha / 2));
  return {
    scenarios: tested.length,
    difference: mean(differences) ?? NaN,
    interval: intervalOfOthers(differences, { alpha, atLeast: ofThese }) ?? ofThese,
    variance: varianceOf(tested),
  };
}

/** Returns the interval of the difference to expect of other scenarios, by those of these; null for fewer than 6. */
export function intervalOfOthers(
  differences: readonly number[],
  { alpha, atLeast }: { alpha: number; atLeast: Interval },
): Interval | null {
  const scenarios = differences.length;
  if (scenarios < FEWEST) return null;
  const difference = mean(differences) ?? NaN;
  const half = tQuantileOfTail(alpha / 2, scenarios - 1) * Math.sqrt(sampleVariance(differences) / scenarios);
  return {
    low: Math.max(-1, Math.min(difference - half, atLeast.low)),
    high: Math.min(1, Math.max(difference + half, atLeast.high)),
  };
}

/** Subtracts from how much scenarios vary what their runs explain: the method of moments. */
function varianceOf(scenarios: readonly (readonly Stratum[])[]): Variance | null {
  if (scenarios.flat().some(({ base, head }) => base.tested < 2 || head.tested < 2)) return null;
  const runs = mean(scenarios.map((strata) => sum(strata, varianceOfRuns) / strata.length ** 2)) ?? 0;
  const rates = scenarios.map((strata) => mean(strata.map(({ base, head }) => (rate(base) + rate(head)) / 2)) ?? 0);
  return {
    scenario: Math.max(0, sampleVariance(rates) - runs / 4),
    difference: Math.max(0, sampleVariance(scenarios.map(meanDifference)) - runs),
    runs,
  };
}

const varianceOfRuns = ({ base, head }: Stratum): number =>
  sum([base, head], (side) => (rate(side) * (1 - rate(side))) / (side.tested - 1));

function sampleVariance(values: readonly number[]): number {
  const middle = mean(values) ?? 0;
  return sum(values, (one) => (one - middle) ** 2) / (values.length - 1);
}

/**
 * Returns how much shorter, as a share, the interval would be with twice the runs of these scenarios, and with twice
 * the scenarios.
 */
export function shorterWith({ difference, runs }: Variance): { runs: number; scenarios: number } {
  const all = difference + runs;
  return {
    runs: all === 0 ? 0 : 1 - Math.sqrt((difference + runs / 2) / all),
    scenarios: 1 - Math.SQRT1_2,
  };
}
