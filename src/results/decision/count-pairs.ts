import type { Count, Stratum } from '../../statistics/counts.js';
import type { Outcome } from '../records/result-line.js';
import type { CellPair } from './paired-cells.js';

/** What the pairs of a configuration in a round have shown. */
export interface PairCounts {
  /** Pairs of which both runs passed or failed. */
  counted: Stratum;
  /** The other pairs, with what is known of them. */
  leftOut: { pairs: number; base: Count; head: Count };
}

type Decided = 'pass' | 'fail' | null;

/** Counts pairs. One without a result on one side counts on neither, or the sides would not have run at the same time. */
export function countPairs(
  pairs: readonly CellPair[],
  outcomeOf: (cell: string) => Outcome | null,
): PairCounts {
  const decidedOf = (cell: string): Decided => {
    const outcome = outcomeOf(cell);
    return outcome === 'pass' || outcome === 'fail' ? outcome : null;
  };
  const outcomes = pairs.map(({ base, head }) => ({
    base: typeof base === 'string' ? base : decidedOf(base.id),
    head: decidedOf(head.id),
  }));
  const isWhole = ({ base, head }: { base: Decided; head: Decided }): boolean =>
    base !== null && head !== null;
  const whole = outcomes.filter(isWhole);
  const others = outcomes.filter((pair) => !isWhole(pair));
  return {
    counted: { base: countOf(whole, 'base'), head: countOf(whole, 'head') },
    leftOut: { pairs: others.length, base: countOf(others, 'base'), head: countOf(others, 'head') },
  };
}

/** The counts if the missing results of `passes` had passed, and those of the other side had failed. */
export function withMissing({ counted, leftOut }: PairCounts, passes: keyof Stratum): Stratum {
  const whole = (side: keyof Stratum): Count => {
    const { passed, tested } = leftOut[side];
    return {
      passed: counted[side].passed + passed + (side === passes ? leftOut.pairs - tested : 0),
      tested: counted[side].tested + leftOut.pairs,
    };
  };
  return { base: whole('base'), head: whole('head') };
}

const countOf = (outcomes: readonly { base: Decided; head: Decided }[], side: 'base' | 'head'): Count => ({
  passed: outcomes.filter((pair) => pair[side] === 'pass').length,
  tested: outcomes.filter((pair) => pair[side] !== null).length,
});
