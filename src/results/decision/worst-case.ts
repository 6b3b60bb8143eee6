import type { Stratum } from '../../statistics/counts.js';
import type { Round } from '../../statistics/look.js';
import type { PairCounts } from './count-pairs.js';

type Side = keyof Stratum;

/**
 * The rounds as they would be if everything that errors may have hidden spoke for one side. Errors are no fair sample: a
 * broken judge, for example, turns only passes into errors, and the runs that replace these fail more often. So:
 *
 * - of the pairs without a result, the missing runs of the side `passes` pass, and those of the other fail;
 * - if more runs of one side than of the other ended with an error at first, as many results of runs that replaced them
 *   are replaced in the same way. Errors that both sides have alike make neither look better.
 *
 * A round depends only on itself and on those before it, as a sequential test requires.
 */
export function worstCase(rounds: readonly (readonly PairCounts[])[], passes: Side): Round[] {
  const soFar = new Map<number, { errors: Record<Side, number>; replaced: Record<Side, number> }>();
  return rounds.map((round) =>
    round.map((counts, at) => {
      const { errors, replaced } = soFar.get(at) ?? { errors: NONE, replaced: NONE };
      const now = plus(errors, { base: counts.redone.base.tested, head: counts.redone.head.tested });
      const inDoubt = {
        base: Math.max(0, now.base - now.head - replaced.base),
        head: Math.max(0, now.head - now.base - replaced.head),
      };
      const changed = {
        base: Math.min(inDoubt.base, against(counts.redone, 'base', passes)),
        head: Math.min(inDoubt.head, against(counts.redone, 'head', passes)),
      };
      soFar.set(at, { errors: now, replaced: plus(replaced, changed) });
      return completed(counts, changed, passes);
    }),
  );
}

const NONE = { base: 0, head: 0 };

const plus = (a: Record<Side, number>, b: Record<Side, number>): Record<Side, number> => ({
  base: a.base + b.base,
  head: a.head + b.head,
});

/** How many runs of a side would have to end differently if `passes` passed and the other side failed. */
const against = (runs: Stratum, side: Side, passes: Side): number =>
  side === passes ? runs[side].tested - runs[side].passed : runs[side].passed;

function completed({ counted, leftOut }: PairCounts, changed: Record<Side, number>, passes: Side): Stratum {
  const whole = (side: Side): Stratum[Side] => {
    const missing = leftOut.pairs - leftOut[side].tested;
    const gained = side === passes ? missing + changed[side] : -changed[side];
    return {
      passed: counted[side].passed + leftOut[side].passed + gained,
      tested: counted[side].tested + leftOut.pairs,
    };
  };
  return { base: whole('base'), head: whole('head') };
}
