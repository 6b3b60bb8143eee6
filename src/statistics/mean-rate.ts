import { rate, sum, type Count, type Interval } from './counts.js';
import { wilsonInterval } from './wilson-interval.js';
import type { ScorePair } from './weighted-kappa.js';
import { tQuantileOfTail } from './student-t.js';

/**
 * Returns the mean pass rate of several configurations, each of the same weight however many runs it has, and its
 * interval; null if one has no runs. The interval is that of Wilson for as many runs of a single configuration as give
 * the mean the same variance. If the rates differ, their mean varies less than that, so the interval covers the mean at
 * least as often: W. Hoeffding, "On the distribution of the number of successes in independent trials", Annals of
 * Mathematical Statistics 27 (1956) 713-721.
 */
export function meanRate(
  counts: readonly Count[],
  { alpha }: { alpha: number },
): { rate: number; interval: Interval } | null {
  if (counts.length === 0 || counts.some(({ tested }) => tested === 0)) return null;
  const middle = sum(counts, rate) / counts.length;
  const runs = counts.length ** 2 / sum(counts, ({ tested }) => 1 / tested);
  const interval = wilsonInterval({ passed: middle === 1 ? runs : middle * runs, tested: runs }, { alpha });
  return interval === null ? null : { rate: middle, interval };
}

/**
 * Returns by how much the judge scores higher than people, with the interval of the paired t test; null without scores.
 */
export function meanBias(
  pairs: readonly ScorePair[],
  { alpha }: { alpha: number },
): { estimate: number; interval: Interval | null } | null {
  if (pairs.length === 0) return null;
  const differences = pairs.map(({ human, judge }) => judge - human);
  const estimate = sum(differences, (one) => one) / pairs.length;
  const df = pairs.length - 1;
  if (df === 0) return { estimate, interval: null };
  const variance = sum(differences, (one) => (one - estimate) ** 2) / df;
  const half = tQuantileOfTail(alpha / 2, df) * Math.sqrt(variance / pairs.length);
  return { estimate, interval: { low: estimate - half, high: estimate + half } };
}
