import { isTested, type Stratum } from './counts.js';
import { scoreInterval } from './miettinen-nurminen.js';
import { normalQuantileOfTail } from './normal.js';

interface Options {
  /** A share, above 0: 0.1 is 10 points. */
  margin: number;
  /** Level of a one-sided test. */
  alpha: number;
}

/** Returns whether head is not worse by the margin or more: the lower bound of the difference is above it. */
export function notWorse(
  strata: readonly Stratum[],
  { margin, alpha }: Options,
): { bound: number; holds: boolean } {
  const tested = strata.filter(isTested);
  const bound = tested.length === 0 ? -1 : scoreInterval(tested, normalQuantileOfTail(alpha)).low;
  return { bound, holds: bound > -margin };
}

/**
 * Returns whether head is neither worse nor better by the margin or more. Both are tested at the full level: D. J. Schuirmann,
 * "A comparison of the two one-sided tests procedure", J. Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680.
 */
export function equivalent(strata: readonly Stratum[], { margin, alpha }: Options): boolean {
  const swapped = strata.map(({ base, head }) => ({ base: head, head: base }));
  return notWorse(strata, { margin, alpha }).holds && notWorse(swapped, { margin, alpha }).holds;
}
