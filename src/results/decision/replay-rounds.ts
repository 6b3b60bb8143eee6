import { inTurns } from '../../lib/in-turns.js';
import { look, type Look, type Round } from '../../statistics/look.js';
import { nextRound } from '../../statistics/next-round.js';
import type { Cell } from '../records/cell.js';
import type { ResultLine } from '../records/result-line.js';
import { costsOf } from './costs-of.js';
import { countPairs, withMissing, type PairCounts } from './count-pairs.js';
import { cellsOfPair, pairedCells, type PairedConfiguration } from './paired-cells.js';
import type { UntilClear } from './until-clear.js';

/** What a decision depends on of a cell's result. */
export type CellResult = Pick<ResultLine, 'outcome' | 'cost_usd'>;

/** How far a sweep has come by its results. */
export interface Replay {
  configurations: PairedConfiguration[];
  /** What each configuration has shown in each round that has ended. */
  rounds: PairCounts[][];
  /** What the last look has found in the pairs that count. */
  last: Look;
  /** What it decides; null if that depends on how the runs would have ended that neither passed nor failed. */
  verdict: Look['verdict'] | null;
  /** The cells that were released, in the order in which they are started. */
  released: Cell[];
  /** Those of them that have not ended. */
  wanted: Cell[];
  stopped: 'clear' | 'most runs' | 'errors' | null;
}

/** After so many pairs in succession without a result, something is broken that more runs do not put right. */
const MOST_LEFT_OUT = 4;

/**
 * Performs all rounds of a sweep again by its results. A round releases pairs of cells. When these have ended, a look at
 * all results so far decides whether another round is needed. So the same results always lead to the same decision,
 * whatever was killed in between. `isOver`: no more runs will end, and what has ended of the last round counts.
 */
export function replayRounds(
  cells: readonly Cell[],
  plan: UntilClear,
  results: ReadonlyMap<string, CellResult>,
  isOver = false,
): Replay {
  const configurations = pairedCells(cells, plan);
  const most = configurations.reduce((sum, { pairs }) => sum + pairs.length, 0);
  const played = playRounds(configurations, plan, results, isOver);
  const { alpha, margin } = plan;
  const found = lookAtAll(played.rounds, { alpha, margin, most });
  const asReplay = (rounds: number, shown: typeof found) => ({
    ...{ configurations, rounds: played.rounds.slice(0, rounds), last: shown.last, verdict: shown.verdict },
    released: played.released.slice(0, rounds).flat(),
  });
  if (found.clearAt === null)
    return { ...asReplay(Infinity, found), wanted: played.wanted, stopped: played.stopped };
  // What was run after that does not count, but a sweep runs nothing after that.
  const until = lookAtAll(played.rounds.slice(0, found.clearAt), { alpha, margin, most });
  return { ...asReplay(found.clearAt, until), wanted: [], stopped: 'clear' };
}

/** Counts one round after the other, as far as there are results. Looks do not change what later rounds consist of. */
function playRounds(
  configurations: readonly PairedConfiguration[],
  { round_size: size }: UntilClear,
  results: ReadonlyMap<string, CellResult>,
  isOver: boolean,
): Pick<Replay, 'rounds' | 'wanted' | 'stopped'> & { released: Cell[][] } {
  const rounds: PairCounts[][] = [];
  const released: Cell[][] = [];
  const done = configurations.map(() => 0);
  for (;;) {
    const remaining = configurations.map(({ pairs }, at) => pairs.length - (done[at] ?? 0));
    if (remaining.every((count) => count === 0))
      return { rounds, released, wanted: [], stopped: 'most runs' };
    const costs = costsOf(configurations, done, results);
    const sizes = nextRound(countedIn(rounds), { size, costs, remaining });
    const pairs = configurations.map((one, at) => {
      const first = done[at] ?? 0;
      return one.pairs.slice(first, first + (sizes[at] ?? 0));
    });
    const cellsOfRound = inTurns(pairs).flatMap(cellsOfPair);
    released.push(cellsOfRound);
    const wanted = cellsOfRound.filter(({ id }) => !results.has(id));
    if (wanted.length > 0 && !isOver) return { rounds, released, wanted, stopped: null };
    rounds.push(pairs.map((some) => countPairs(some, (cell) => results.get(cell)?.outcome ?? null)));
    for (const [at, { length }] of pairs.entries()) done[at] = (done[at] ?? 0) + length;
    if (wanted.length > 0) return { rounds, released, wanted, stopped: null };
    if (leftOutLast(rounds) >= MOST_LEFT_OUT) return { rounds, released, wanted: [], stopped: 'errors' };
  }
}

/**
 * Looks after each round. `clearAt`: after how many of them the verdict is clear; null if it is not. Errors are no fair sample: a broken judge, for example, turns only passes into errors. So a
 * verdict must be the same if all missing results of one side had passed, and if all of the other had.
 */
function lookAtAll(
  rounds: readonly PairCounts[][],
  plan: Parameters<typeof look>[1],
): Pick<Replay, 'last' | 'verdict'> & { clearAt: number | null } {
  const last = look(countedIn(rounds), plan);
  const isComplete = rounds.flat().every(({ leftOut }) => leftOut.pairs === 0);
  const [forHead, forBase] = isComplete
    ? [last, last]
    : [look(completedFor('head', rounds), plan), look(completedFor('base', rounds), plan)];
  const verdict = forHead.verdict === forBase.verdict ? forHead.verdict : null;
  const isClear = verdict !== null && verdict !== 'undecided';
  return { last, verdict, clearAt: isClear ? Math.max(forHead.rounds, forBase.rounds) : null };
}

const countedIn = (rounds: readonly PairCounts[][]): Round[] =>
  rounds.map((round) => round.map(({ counted }) => counted));

const completedFor = (passes: 'base' | 'head', rounds: readonly PairCounts[][]): Round[] =>
  rounds.map((round) => round.map((counts) => withMissing(counts, passes)));

/** How many pairs were left out in the last rounds, of which none counted. */
function leftOutLast(rounds: readonly PairCounts[][]): number {
  const last = rounds.findLastIndex((round) => round.some(({ counted }) => counted.head.tested > 0));
  return rounds
    .slice(last + 1)
    .flat()
    .reduce((sum, { leftOut }) => sum + leftOut.pairs, 0);
}
