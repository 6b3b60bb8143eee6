import type { Interval } from './counts.js';
import { meanContrast, type Contrast, type Group } from './mean-contrast.js';

export interface Ratio {
  /** Head to base: 2 is twice as much. */
  ratio: number;
  interval: Interval | null;
  p: number | null;
}

/**
 * Returns by which factor head needs more than base: the ratio of geometric means, averaged over configurations, by
 * Welch's t test of the logarithms. Costs, durations and tokens are skewed; their logarithms are not. Null if a value is not above 0 or no
 * configuration has values on both sides.
 */
export function ratioOfMeans(groups: readonly Group[], options: { alpha: number }): Ratio | null {
  if (groups.some(({ base, head }) => [...base, ...head].some((value) => value <= 0))) return null;
  const logs = groups.map(({ base, head }) => ({ base: base.map(Math.log), head: head.map(Math.log) }));
  const contrast = meanContrast(logs, options);
  if (contrast === null) return null;
  const { estimate, interval, p } = contrast;
  return {
    ratio: Math.exp(estimate),
    interval: interval && { low: Math.exp(interval.low), high: Math.exp(interval.high) },
    p,
  };
}

/** Returns by how much a number such as a score is higher in head, with the same test of the values themselves. */
export const differenceOfMeans = (groups: readonly Group[], options: { alpha: number }): Contrast | null =>
  meanContrast(groups, options);
