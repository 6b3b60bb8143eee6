import { mean } from '#lib';
import { intervalByMeans, type Look, powerByMeans, type Turn, verdictByMeans } from '#statistics';
import { runsOf } from './count-pairs.js';
import type { CellPair, CellResult } from './paired-cells.js';
import type { UntilClear } from './until-clear.js';

/** The pairs of each configuration in a round. */
export type PairsOfRound = readonly (readonly CellPair[])[];

/** The mean rewards of a configuration, of the pairs that count; null: there are none. */
export type MeanRewards = Record<keyof CellPair, number | null>;

/** A look as a decision shows it. `p`: only if rewards are compared. */
export type LastLook = Pick<Look, 'verdict' | 'difference' | 'interval' | 'spent_alpha' | 'rounds'> & { p?: number };

type PairOfRewards = ReturnType<typeof runsOf>;

/**
 * Looks at rewards after each round. Of a run without a reward from 0 to 1, or that has one only after an error, it is
 * only known that its reward could be any of them. `clearAt`: after how many rounds the verdict is clear; null if it is
 * not.
 */
export function lookAtRewards(
  rounds: readonly PairsOfRound[],
  results: ReadonlyMap<string, CellResult>,
  { alpha, margin, most }: Pick<UntilClear, 'alpha' | 'margin'> & { most: number },
): { last: LastLook; verdict: LastLook['verdict'] | null; clearAt: number | null } {
  const plan = { alpha, margin, most };
  const turns = rounds.map((round) => turnsOf(round, results));
  const bounds = turns.map((some) => some.map((turn) => turn.map(boundsOf)));
  const clearAt = bounds.findIndex((_, at) => verdictByMeans(bounds.slice(0, at + 1).flat(), plan) !== 'undecided');
  const count = clearAt === -1 ? rounds.length : clearAt + 1;
  const counted = turns.slice(0, count).flat();
  const known = counted.map((turn) => turn.filter(isKnown));
  const { interval, p } = intervalByMeans(bounds.slice(0, count).flat(), plan);
  const verdict = verdictByMeans(bounds.slice(0, count).flat(), plan);
  // The known rewards alone would have shown something.
  const isHidden =
    verdict === 'undecided' &&
    verdictByMeans(
      known.map((turn) => turn.map(boundsAsSeen)),
      plan,
    ) !== verdict;
  const difference = mean(
    meanRewards(rounds.slice(0, count), results).flatMap(({ base, head }) =>
      base === null || head === null ? [] : [head - base],
    ),
  );
  return {
    last: {
      verdict,
      difference,
      interval:
        difference === null
          ? null
          : { low: Math.min(interval.low, difference), high: Math.max(interval.high, difference) },
      spent_alpha: alpha,
      p,
      rounds: count,
    },
    verdict: isHidden ? null : verdict,
    clearAt: clearAt === -1 ? null : count,
  };
}

/** Returns the probability that the pairs left still show a difference, if it is the effect from now on. */
export const powerOfRewards = (
  rounds: readonly PairsOfRound[],
  results: ReadonlyMap<string, CellResult>,
  plan: { effect: number; alpha: number; most: number },
): number =>
  powerByMeans(
    rounds.flatMap((round) => turnsOf(round, results).map((turn) => turn.map(boundsOf))),
    plan,
  );

/** Returns the mean rewards of each configuration. */
export const meanRewards = (rounds: readonly PairsOfRound[], results: ReadonlyMap<string, CellResult>): MeanRewards[] =>
  (rounds[0] ?? []).map((_, at) => {
    const known = rounds
      .flatMap((round) => (round[at] ?? []).map((pair) => runsOf(pair, results, 'reward')))
      .filter(isKnown);
    return { base: mean(known.map(({ base }) => base.reward)), head: mean(known.map(({ head }) => head.reward)) };
  });

/**
 * Returns the turns of a round, each with a pair of every configuration. One of which a run was never started, because
 * the budget was used up for example, and those after it are left out.
 */
function turnsOf(round: PairsOfRound, results: ReadonlyMap<string, CellResult>): PairOfRewards[][] {
  const length = Math.max(0, ...round.map((pairs) => pairs.length));
  const turns = Array.from({ length }, (_, at) =>
    round.flatMap((pairs) => pairs.slice(at, at + 1).map((pair) => runsOf(pair, results, 'reward'))),
  );
  const end = turns.findIndex((turn) => turn.some(({ base, head }) => !base.isRun || !head.isRun));
  return end === -1 ? turns : turns.slice(0, end);
}

const isKnown = ({ base, head }: PairOfRewards): boolean => base.reward !== null && head.reward !== null;

function boundsOf({ base, head }: PairOfRewards): Turn[number] {
  const [before, after] = [base, head].map(({ reward, isRedone }) =>
    reward === null || isRedone ? { low: 0, high: 1 } : { low: reward, high: reward },
  );
  return { low: (after?.low ?? 0) - (before?.high ?? 1), high: (after?.high ?? 1) - (before?.low ?? 0) };
}

function boundsAsSeen({ base, head }: PairOfRewards): Turn[number] {
  const difference = (head.reward ?? NaN) - (base.reward ?? NaN);
  return { low: difference, high: difference };
}
