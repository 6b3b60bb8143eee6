import type { Count, Stratum } from '#statistics';
import { type CellResult, isBaseRun, type CellPair } from './paired-cells.js';

/** The counts of the pairs of a configuration in a round. */
export interface PairCounts {
  /** Pairs of which both runs passed or failed. */
  counted: Stratum;
  /** Pairs of which a run was never started, because the budget was used up for example: that hides nothing. */
  notRun: number;
  /** The other pairs, with what is known of them. */
  leftOut: { pairs: number; base: Count; head: Count };
  /** The runs among all these that passed or failed only after an error. */
  redone: Stratum;
}

interface Run {
  isRun: boolean;
  decided: 'pass' | 'fail' | null;
  isRedone: boolean;
}

type PairOfRuns = Record<keyof Stratum, Run>;

/**
 * Counts pairs. One without a result on one side counts on neither, or the sides would not have run at the same time.
 */
export function countPairs(pairs: readonly CellPair[], results: ReadonlyMap<string, CellResult>): PairCounts {
  const runOf = (cell: string): Run => {
    const result = results.get(cell);
    if (result === undefined) return { isRun: false, decided: null, isRedone: false };
    const { outcome, errors } = result;
    const decided = outcome === 'pass' || outcome === 'fail' ? outcome : null;
    return { isRun: true, decided, isRedone: decided !== null && errors > 0 };
  };
  const all = pairs.map(({ base, head }): PairOfRuns => ({
    base: isBaseRun(base) ? { isRun: true, decided: base.outcome, isRedone: base.after_errors } : runOf(base.id),
    head: runOf(head.id),
  }));
  const runs = all.filter(({ base, head }) => base.isRun && head.isRun);
  const isWhole = ({ base, head }: PairOfRuns): boolean => base.decided !== null && head.decided !== null;
  const whole = runs.filter(isWhole);
  const others = runs.filter((pair) => !isWhole(pair));
  const both = (some: readonly PairOfRuns[], which: (run: Run) => boolean): Stratum => ({
    base: countOf(some.map(({ base }) => base).filter(which)),
    head: countOf(some.map(({ head }) => head).filter(which)),
  });
  return {
    counted: both(whole, () => true),
    notRun: all.length - runs.length,
    leftOut: { pairs: others.length, ...both(others, () => true) },
    redone: both(runs, ({ isRedone }) => isRedone),
  };
}

const countOf = (runs: readonly Run[]): Count => ({
  passed: runs.filter(({ decided }) => decided === 'pass').length,
  tested: runs.filter(({ decided }) => decided !== null).length,
});
