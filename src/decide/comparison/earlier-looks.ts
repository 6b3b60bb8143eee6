import { groupBy } from '#lib';
import type { Stratum } from '#statistics';
import type { Pair, Sample } from './arms.js';

/** A run of one side of a pair. */
export interface RunOfPair {
  at: number;
  side: keyof Pair;
  line: Sample;
}

/** The runs that were there after a sweep. */
interface EarlierLook {
  sweep: string;
  /** When the last of its runs began. */
  ended: string;
  strata: Stratum[];
}

/**
 * Returns what was there after each sweep that added some of these runs, in the order in which sweeps ended. If one
 * that added runs to one side is followed by one that added runs to the other, these are a look together: runs are
 * bought for both sides. `before`: what was there before all of them.
 */
export function looksIn(runs: readonly RunOfPair[], before: readonly Stratum[]): EarlierLook[] {
  const sweeps = groupBy(runs, ({ line }) => line.ran_in?.sweep ?? line.sweep)
    .map((added) => ({
      sweep: added[0]?.line.ran_in?.sweep ?? added[0]?.line.sweep ?? '',
      added,
      /** Null: both. */
      side: new Set(added.map(({ side }) => side)).size === 1 ? (added[0]?.side ?? null) : null,
      ended: newestOf(added),
    }))
    .sort((a, b) => (a.ended === b.ended ? 0 : a.ended < b.ended ? -1 : 1));
  let [isHalf, sofar] = [false, [...before]];
  return sweeps.flatMap(({ sweep, added, side, ended }, index) => {
    sofar = withRuns(sofar, added);
    const next = sweeps[index + 1]?.side ?? null;
    isHalf = !isHalf && side !== null && next !== null && side !== next;
    return isHalf ? [] : [{ sweep, ended, strata: sofar }];
  });
}

/** The runs of both sides of each pair. */
export const runsOf = <Side>(
  pairs: readonly Record<keyof Pair, Side>[],
  of: (side: Side) => readonly Sample[],
): RunOfPair[] =>
  pairs.flatMap((pair, at) =>
    (['base', 'head'] as const).flatMap((side) => of(pair[side]).map((line) => ({ at, side, line }))),
  );

export function withRuns(strata: readonly Stratum[], runs: readonly RunOfPair[]): Stratum[] {
  const sum = structuredClone([...strata]);
  for (const { at, side } of runs) {
    const stratum = sum[at];
    if (stratum !== undefined) stratum[side].tested += 1;
  }
  return sum;
}

/** When the newest of these runs began. */
export const newestOf = (runs: readonly RunOfPair[]): string =>
  runs.reduce((last, { line }) => {
    const began = line.ran_in?.timestamp ?? line.timestamp;
    return began > last ? began : last;
  }, '');
