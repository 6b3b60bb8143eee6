import type { Count, Interval } from './counts.js';
import { normalQuantileOfTail } from './normal.js';

/**
 * Returns the score interval of a pass rate, without continuity correction; null if there are no runs. Unlike the
 * textbook interval p ± z·√(p(1−p)/n), it is valid for few runs and for shares of 0 and 1. E. B. Wilson, "Probable
 * inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212; recommended by Brown, Cai and
 * DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16 (2001) 101-133.
 */
export function wilsonInterval({ passed, tested }: Count, { alpha }: { alpha: number }): Interval | null {
  if (tested === 0) return null;
  const z = normalQuantileOfTail(alpha / 2);
  const rate = passed / tested;
  const square = (z * z) / tested;
  const middle = (rate + square / 2) / (1 + square);
  const half = (z / (1 + square)) * Math.sqrt((rate * (1 - rate) + square / 4) / tested);
  // A share of 0 or 1 is itself an end of the interval; rounding would miss it.
  return {
    low: passed === 0 ? 0 : Math.min(rate, middle - half),
    high: passed === tested ? 1 : Math.max(rate, middle + half),
  };
}
