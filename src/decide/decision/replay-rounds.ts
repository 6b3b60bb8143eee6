import { inTurns, mean } from '#lib';
import type { Cell } from '#model';
import {
  conditionalPower,
  firstContrast,
  firstDecisive,
  firstDecisiveBet,
  futileAfter,
  look,
  type Look,
  nextRound,
  type Round,
  type Stratum,
} from '#statistics';
import {
  MAX_TRIES,
  type CellResult,
  cellsOfPair,
  pairedCells,
  type CellPair,
  type PairedConfiguration,
} from './paired-cells.js';
import { countPairs, type PairCounts } from './count-pairs.js';
import { type LastLook, lookAtRewards, type PairsOfRound, powerOfRewards } from './look-at-rewards.js';
import type { UntilClear } from './until-clear.js';

type Side = keyof Stratum;

/**
 * The rounds as they would be if everything that errors may have hidden spoke for one side. Errors are no fair sample:
 * a broken judge, for example, turns only passes into errors, and the runs that replace these fail more often. As many
 * errors on the other side may have the opposite cause. So each run without a result, and each that has one only after
 * an error, passes on the side `passes` and fails on the other.
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

/**
 * Mean cost of the runs of each configuration so far; 0 if none is known. `done`: how many pairs of each have ended.
 */
const costsOf = (
  configurations: readonly PairedConfiguration[],
  done: readonly number[],
  results: ReadonlyMap<string, { cost_usd: number | null }>,
): number[] =>
  configurations.map(({ pairs }, at) => {
    const cells = pairs.slice(0, done[at] ?? 0).flatMap(cellsOfPair);
    return mean(cells.map(({ id }) => results.get(id)?.cost_usd ?? null)) ?? 0;
  });

/** The progress of a sweep by its results. */
export interface Replay {
  configurations: PairedConfiguration[];
  /** The counts of each configuration in each round that has ended. */
  rounds: PairCounts[][];
  /** The pairs of each configuration in these rounds. */
  pairs: PairsOfRound[];
  /** The last look at the pairs that count. */
  last: LastLook;
  /** Its verdict; null if that depends on how the runs would have ended that neither passed nor failed. */
  verdict: Look['verdict'] | null;
  /** The probability that the runs left still find the effect; null if none was named. */
  power: number | null;
  /** The cells that were released, in the order in which they are started. */
  released: Cell[];
  /** The released cells that are to be run now: they have not ended, or ended with an error and are to be run again. */
  wanted: Cell[];
  stopped: 'clear' | 'futile' | 'most runs' | 'errors' | null;
}

/** After so many runs in succession without a result, something is broken that more runs do not put right. */
const MAX_FAILED = 4;

/**
 * Performs all rounds of a sweep again by its results. A round releases pairs of cells. When these have ended, a look
 * at all results so far decides whether another round is needed. So the same results always lead to the same decision,
 * whatever was killed in between, and in whatever order runs have ended. `isOver`: no more runs will end, and what has
 * ended of the last round counts.
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
  const { alpha, margin, effect, measure } = plan;
  const lookUntil = (end: number): ReturnType<typeof lookAtAll> =>
    measure === 'reward'
      ? lookAtRewards(played.pairs.slice(0, end), results, { alpha, margin, most })
      : lookAtAll(played.rounds.slice(0, end), { alpha, margin, most });
  const found = lookUntil(Infinity);
  const powerAfter = (effect: number, end: number): number =>
    measure === 'reward'
      ? powerOfRewards(played.pairs.slice(0, end), results, { effect, alpha, most })
      : conditionalPower(countedIn(played.rounds.slice(0, end)), { effect, alpha, most });
  const asReplay = (rounds: number, shown: typeof found) => ({
    configurations,
    rounds: played.rounds.slice(0, rounds),
    pairs: played.pairs.slice(0, rounds),
    last: shown.last,
    verdict: shown.verdict,
    power: effect === undefined ? null : powerAfter(effect, rounds),
    released: played.released.slice(0, rounds).flat(),
  });
  const futileAt = effect === undefined ? null : futileAfter(played.rounds.length, (end) => powerAfter(effect, end));
  const stopAt = Math.min(found.clearAt ?? Infinity, futileAt ?? Infinity);
  if (stopAt === Infinity) return { ...asReplay(Infinity, found), wanted: played.wanted, stopped: played.stopped };
  // Runs after that do not count, but a sweep runs nothing after that.
  const until = lookUntil(stopAt);
  return { ...asReplay(stopAt, until), wanted: [], stopped: stopAt === found.clearAt ? 'clear' : 'futile' };
}

/** Counts one round after the other, as far as there are results. Looks do not change what later rounds consist of. */
function playRounds(
  configurations: readonly PairedConfiguration[],
  { alpha, round_size: size, measure }: UntilClear,
  results: ReadonlyMap<string, CellResult>,
  isOver: boolean,
): Pick<Replay, 'rounds' | 'pairs' | 'wanted' | 'stopped'> & { released: Cell[][] } {
  const rounds: PairCounts[][] = [];
  const played: CellPair[][][] = [];
  const released: Cell[][] = [];
  const done = configurations.map(() => 0);
  const first =
    measure === 'reward'
      ? firstDecisiveBet(alpha)
      : configurations.length === 1
        ? firstDecisive(alpha)
        : firstContrast(alpha);
  /** A round with more pairs than it takes to decide at best would be paid in vain. */
  const atMost = (paired: number): number =>
    paired < first ? Math.max(configurations.length, first - paired) : Infinity;
  /** The pairs of rounds since a pair has counted. */
  let inVain: CellPair[] = [];
  for (;;) {
    const remaining = configurations.map(({ pairs }, at) => pairs.length - (done[at] ?? 0));
    if (remaining.every((count) => count === 0))
      return { rounds, pairs: played, released, wanted: [], stopped: 'most runs' };
    const costs = costsOf(configurations, done, results);
    const paired = done.reduce((sum, count) => sum + count, 0);
    const most = Math.min(size, atMost(paired));
    const sizes =
      measure === 'reward'
        ? // As many of each, or the mean over configurations would not be what is bet on.
          remaining.map((left) => Math.min(left, Math.max(1, Math.floor(most / configurations.length))))
        : nextRound(countedIn(rounds), { size: most, costs, remaining });
    const pairs = configurations.map((one, at) => {
      const first = done[at] ?? 0;
      return one.pairs.slice(first, first + (sizes[at] ?? 0));
    });
    const cellsOfRound = inTurns(pairs).flatMap(cellsOfPair);
    released.push(cellsOfRound);
    const { wanted, tries } = nextTry(cellsOfRound, results);
    const counts = pairs.map((some) => countPairs(some, results, measure));
    const hasCounted = counts.some(({ counted }) => counted.head.tested > 0);
    inVain = hasCounted ? [] : [...inVain, ...pairs.flat()];
    const push = (): void => {
      rounds.push(counts);
      played.push(pairs);
    };
    if (tries === 0) {
      if (isOver) push();
      return { rounds, pairs: played, released, wanted, stopped: null };
    }
    const isBroken = failedTries(inVain, results, tries) >= MAX_FAILED;
    if (wanted.length > 0 && !isOver && !isBroken) return { rounds, pairs: played, released, wanted, stopped: null };
    push();
    if (isBroken) return { rounds, pairs: played, released, wanted: [], stopped: 'errors' };
    for (const [at, { length }] of pairs.entries()) done[at] = (done[at] ?? 0) + length;
  }
}

/**
 * Returns which cells of a round are run next, and how often each cell without a result was run by then: first those
 * that have not been run, then those whose only run ended with an error, and so on.
 */
function nextTry(cells: readonly Cell[], results: ReadonlyMap<string, CellResult>): { wanted: Cell[]; tries: number } {
  const triesOf = ({ id }: Cell): number => {
    const result = results.get(id);
    if (result === undefined) return 0;
    return result.outcome === 'error' ? result.errors : MAX_TRIES;
  };
  const tries = Math.min(MAX_TRIES, ...cells.map(triesOf));
  return { wanted: tries === MAX_TRIES ? [] : cells.filter((cell) => triesOf(cell) === tries), tries };
}

/** Counts the failed tries of these pairs; those after so many `tries` do not count. */
const failedTries = (pairs: readonly CellPair[], results: ReadonlyMap<string, CellResult>, tries: number): number =>
  pairs.reduce((sum, pair) => {
    const errors = cellsOfPair(pair).map(({ id }) => results.get(id)?.errors ?? 0);
    return sum + Math.min(tries, Math.max(1, ...errors));
  }, 0);

/**
 * Looks after each round. `clearAt`: after how many of them the verdict is clear; null if it is not. A verdict must be
 * that of the pairs that count, and the same if what errors may have hidden spoke for head, and if it spoke for base.
 */
function lookAtAll(
  rounds: readonly PairCounts[][],
  plan: Parameters<typeof look>[1],
): Pick<Replay, 'last' | 'verdict'> & { clearAt: number | null } {
  const last = look(countedIn(rounds), plan);
  const hasErrors = rounds
    .flat()
    .some(({ leftOut, redone }) => leftOut.pairs + redone.base.tested + redone.head.tested > 0);
  const all = [
    last,
    ...(hasErrors ? (['head', 'base'] as const).map((side) => look(worstCase(rounds, side), plan)) : []),
  ];
  const verdict = all.every((one) => one.verdict === last.verdict) ? last.verdict : null;
  const isClear = verdict !== null && verdict !== 'undecided';
  return { last, verdict, clearAt: isClear ? Math.max(...all.map((one) => one.rounds)) : null };
}

const countedIn = (rounds: readonly PairCounts[][]): Round[] =>
  rounds.map((round) => round.map(({ counted }) => counted));
