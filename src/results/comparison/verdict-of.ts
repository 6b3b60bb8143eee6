import { ALPHA, type Comparison, type ComparisonVerdict } from './document.js';
import type { Stratum } from '../../statistics/counts.js';
import { exactTest, meanDifference, smallestP } from '../../statistics/exact-test.js';

type Test = Pick<Comparison['total'], 'difference' | 'p' | 'smallest_p'>;

/** Tests the strata. All numbers are null if there are none. */
export const testOf = (strata: readonly Stratum[]): Test => ({
  difference: meanDifference(strata),
  p: strata.length === 0 ? null : exactTest(strata),
  smallest_p: strata.length === 0 ? null : smallestP(strata),
});

export function verdictOf({ difference, p, smallest_p: smallest }: Test): ComparisonVerdict {
  if (difference === null || p === null || smallest === null) return 'nothing to compare';
  if (smallest > ALPHA) return 'too few runs';
  if (p > ALPHA) return 'no difference shown';
  return difference > 0 ? 'better' : 'worse';
}
