import { z } from 'zod';

/** A range of shares, from 0 to 1. */
export const Interval = z.object({
  low: z.number().describe('Lower end'),
  high: z.number().describe('Upper end'),
});
export type Interval = z.infer<typeof Interval>;

/** The 97.5 % quantile of the standard normal distribution: 95 % lie between it and its negative. */
const Z = 1.959963984540054;

/**
 * Returns the 95 % score interval of a share, without continuity correction; null if there are no runs. Unlike the
 * textbook interval p ± z·√(p(1−p)/n), it is valid for few runs and for shares of 0 and 1. E. B. Wilson, "Probable
 * inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212; recommended by Brown, Cai and
 * DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16 (2001) 101-133.
 */
export function wilsonInterval(passed: number, runs: number): Interval | null {
  if (runs === 0) return null;
  const rate = passed / runs;
  const square = (Z * Z) / runs;
  const middle = (rate + square / 2) / (1 + square);
  const half = (Z / (1 + square)) * Math.sqrt((rate * (1 - rate) + square / 4) / runs);
  // A share of 0 or 1 is itself an end of the interval; rounding would miss it.
  return {
    low: passed === 0 ? 0 : Math.min(rate, middle - half),
    high: passed === runs ? 1 : Math.max(rate, middle + half),
  };
}
