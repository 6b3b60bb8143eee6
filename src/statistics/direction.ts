import type { Stratum } from './counts.js';
import { meanDifference } from './miettinen-nurminen.js';

/** A mean of rates that is nearer to 0 differs from it by rounding. */
const ROUNDING = 1e-12;

/** Returns on which side the mean difference of configurations lies; null if it is 0, or there are none. */
export function directionOf(strata: readonly Stratum[]): 'better' | 'worse' | null {
  const difference = strata.length === 0 ? 0 : meanDifference(strata);
  return Math.abs(difference) < ROUNDING ? null : difference > 0 ? 'better' : 'worse';
}
