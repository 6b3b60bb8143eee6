import type { Outcome } from '#model';
import type { Totals } from './totals.js';

/**
 * True if a run counts in rates, comparisons and verdicts: it passed or failed, and something was checked. Without gates and a judge, a
 * run passes because its agent ends.
 */
export const isTested = ({
  outcome,
  unchecked,
}: {
  outcome: Outcome | null;
  unchecked?: true | undefined;
}): boolean => (outcome === 'pass' || outcome === 'fail') && unchecked !== true;

/** The runs that count in a rate: those that passed or failed, and in which something was checked. */
export function testedOf({ passed, failed, unchecked }: Pick<Totals, 'passed' | 'failed' | 'unchecked'>): {
  passed: number;
  tested: number;
} {
  const without = unchecked ?? { passed: 0, failed: 0 };
  const counted = passed - without.passed;
  return { passed: counted, tested: counted + failed - without.failed };
}
