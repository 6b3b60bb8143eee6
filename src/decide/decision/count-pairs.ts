import { isBounded } from '#model';
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

/** A run of a pair. `reward`: from 0 to 1, if rewards are compared; a run without one has decided nothing. */
interface Run {
  isRun: boolean;
  decided: 'pass' | 'fail' | null;
  isRedone: boolean;
  reward: number | null;
}

type PairOfRuns = Record<keyof Stratum, Run>;

/** Returns what is known of the runs of a pair. */
export function runsOf(
  { base, head }: CellPair,
  results: ReadonlyMap<string, CellResult>,
  measure?: 'reward',
): PairOfRuns {
  const runOf = (run: CellPair['base']): Run => {
    const result = isBaseRun(run) ? run : results.get(run.id);
    if (result === undefined) return { isRun: false, decided: null, isRedone: false, reward: null };
    const { outcome, reward } = result;
    const known = measure === undefined || reward === undefined || !isBounded(reward) ? null : reward;
    const isDecided = (outcome === 'pass' || outcome === 'fail') && (measure === undefined || known !== null);
    const isAfterErrors = 'errors' in result ? result.errors > 0 : result.after_errors;
    return {
      isRun: true,
      decided: isDecided ? outcome : null,
      isRedone: isDecided && isAfterErrors,
      reward: isDecided ? known : null,
    };
  };
  return { base: runOf(base), head: runOf(head) };
}

/**
 * Counts pairs. One without a result on one side counts on neither, or the sides would not have run at the same time.
 */
export function countPairs(
  pairs: readonly CellPair[],
  results: ReadonlyMap<string, CellResult>,
  measure?: 'reward',
): PairCounts {
  const all = pairs.map((pair) => runsOf(pair, results, measure));
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
