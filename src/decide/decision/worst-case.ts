import type { Round, Stratum } from '#statistics';
import type { PairCounts } from './count-pairs.js';

type Side = keyof Stratum;

/**
 * The rounds as they would be if everything that errors may have hidden spoke for one side. Errors are no fair sample: a
 * broken judge, for example, turns only passes into errors, and the runs that replace these fail more often. As many errors on
 * the other side may have the opposite cause. So each run without a result, and each that has one only after an error, passes
 * on the side `passes` and fails on the other.
 */
export const worstCase = (rounds: readonly (readonly PairCounts[])[], passes: Side): Round[] =>
  rounds.map((round) =>
    round.map((counts) => ({ base: whole(counts, 'base', passes), head: whole(counts, 'head', passes) })),
  );

function whole({ counted, leftOut, redone }: PairCounts, side: Side, passes: Side): Stratum[Side] {
  const missing = leftOut.pairs - leftOut[side].tested;
  const sure = counted[side].passed + leftOut[side].passed - redone[side].passed;
  return {
    passed: sure + (side === passes ? missing + redone[side].tested : 0),
    tested: counted[side].tested + leftOut.pairs,
  };
}
