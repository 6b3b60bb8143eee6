import type { Interval } from './counts.js';
import type { Look } from './look.js';
import { normalQuantileOfTail, normalTail } from './normal.js';

/** The difference of the numbers of a pair, from -1 to 1: what it may be at least and at most. */
interface PairBounds {
  low: number;
  high: number;
}

interface MeansPlan {
  alpha: number;
  /** A difference, above 0; null: only better and worse are looked for. */
  margin: number | null;
  /** Pairs of all configurations together at the cap. */
  most: number;
}

/** A pair of each configuration. */
export type Turn = readonly PairBounds[];

/** The share of its capital that a bet risks at most: so a single pair cannot ruin it. */
const MOST_STAKE = 0.95;
/** The variance that is assumed before the first pair, with the weight of one pair. */
const FIRST_VARIANCE = 0.25;

/** The fewest pairs after which the largest possible difference decides. */
export const firstDecisiveBet = (alpha: number): number => Math.ceil(Math.log(2 / alpha) / Math.log1p(MOST_STAKE));

/**
 * Decides by the means of numbers from 0 to 1, whatever their distribution. `turns`: one after the other, each with a
 * pair of every configuration. A gambler bets in each turn that the mean over configurations of the differences is
 * above 0, and another one that it is below. Without such a difference, capital does not grow on average, so it becomes
 * 2 / alpha times as much in at most alpha / 2 of all sweeps, however often one looks (Ville 1939). I. Waudby-Smith and
 * A. Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024) 1-27. The stake is what
 * reaches that with the pairs left, if the variance stays as it was: V. Voráček and F. Orabona, "STaR-Bets: sequential
 * target-recalculating bets for tighter confidence intervals", arXiv:2505.22422 (2025). All pairs of a turn have the
 * same stake, so configurations may differ in any way: a product is largest where its factors are alike.
 *
 * Each gambler knows of a pair only the worst that it may have been, so what is unknown cannot help.
 */
export function verdictByMeans(turns: readonly Turn[], { alpha, margin, most }: MeansPlan): Look['verdict'] {
  const target = Math.log(2 / alpha);
  const { rises, falls } = betsOn(turns);
  const isAbove = (differences: readonly number[][], than: number): boolean =>
    play(differences, { than, target, most }).highest >= target;
  if (isAbove(rises, 0)) return 'better';
  if (isAbove(falls, 0)) return 'worse';
  if (margin === null || !isAbove(rises, -margin)) return 'undecided';
  return isAbove(falls, -margin) ? 'equivalent' : 'not worse';
}

/**
 * Returns the interval of the difference, with all that the same bets against other differences have not excluded, and
 * p. Both hold whenever the sweep stops.
 */
export function intervalByMeans(
  turns: readonly Turn[],
  plan: Omit<MeansPlan, 'margin'>,
): { interval: Interval; p: number } {
  const target = Math.log(2 / plan.alpha);
  const { rises, falls } = betsOn(turns);
  const capital = (differences: readonly number[][], than: number): number =>
    play(differences, { than, target, most: plan.most }).highest;
  const isAbove = (differences: readonly number[][], than: number): boolean => capital(differences, than) >= target;
  const low = lowest((than) => isAbove(rises, than));
  const high = 0 - lowest((than) => isAbove(falls, than));
  const verdict = verdictByMeans(turns, { ...plan, margin: null });
  return {
    // The bets against 0 decide; those against numbers next to it may end otherwise.
    interval: {
      low: verdict === 'better' ? Math.max(0, low) : Math.min(0, low),
      high: verdict === 'worse' ? Math.min(0, high) : Math.max(0, high),
    },
    p: Math.min(1, 2 * Math.exp(-Math.max(capital(rises, 0), capital(falls, 0)))),
  };
}

/** The differences that each gambler is told, by turns. */
const betsOn = (turns: readonly Turn[]): Record<'rises' | 'falls', number[][]> => ({
  rises: turns.map((turn) => turn.map(({ low }) => low)),
  falls: turns.map((turn) => turn.map(({ high }) => 0 - high)),
});

/** A gambler after some turns. `capital`, `highest`: logarithms. */
interface Gambler {
  capital: number;
  highest: number;
  pairs: number;
  /** Of the differences. */
  mean: number;
  /** The mean of their squares, which stakes are chosen by. */
  square: number;
}

/** Plays a gambler who bets that the mean is above `than`. */
function play(
  turns: readonly (readonly number[])[],
  { than, target, most }: { than: number; target: number; most: number },
): Gambler {
  let [capital, highest, pairs, sum, squares] = [0, 0, 0, 0, FIRST_VARIANCE];
  for (const turn of turns) {
    const missing = Math.max(0, target - capital);
    const variance = squares / (pairs + 1);
    const stake = Math.min(MOST_STAKE / (1 + than), Math.sqrt((2 * missing) / (variance * Math.max(1, most - pairs))));
    for (const difference of turn) {
      capital += Math.log1p(stake * (difference - than));
      sum += difference - than;
      squares += (difference - than) ** 2;
    }
    pairs += turn.length;
    highest = Math.max(highest, capital);
  }
  return { capital, highest, pairs, mean: sum / (pairs + 1), square: squares / (pairs + 1) };
}

/**
 * Returns about how probable it is that the pairs left still show a difference, if the mean is higher or lower by the
 * effect from now on, whichever is more likely to be found. No bets reach what is missing more often than e^-missing
 * without a difference, so by the lemma of Neyman and Pearson, none reach it more often than this with one, if sums are
 * normal and differences as far from 0 as the bets take them to be. A stop because of it makes a false verdict only
 * less likely, so it needs no correction.
 */
export function powerByMeans(
  turns: readonly Turn[],
  { effect, alpha, most }: Omit<MeansPlan, 'margin'> & { effect: number },
): number {
  const target = Math.log(2 / alpha);
  const powers = Object.values(betsOn(turns)).map((differences) => {
    const { capital, pairs, mean, square } = play(differences, { than: 0, target, most });
    if (pairs >= most) return 1;
    const missing = normalQuantileOfTail(Math.min(0.5, Math.exp(capital - target)));
    return normalTail(missing - effect * Math.sqrt((most - pairs) / (square - mean ** 2 + effect ** 2)));
  });
  return Math.max(...powers);
}

const STEP = 0.01;

/** Returns up to which difference all are excluded, from -1 on. */
function lowest(isExcluded: (than: number) => boolean): number {
  const steps = Math.round(2 / STEP);
  const first = Array.from({ length: steps }, (_, at) => at).find((at) => !isExcluded(-1 + (at + 0.5) * STEP));
  if (first === 0) return -1;
  let [excluded, possible] =
    first === undefined ? [1 - STEP / 2, 1] : [-1 + (first - 0.5) * STEP, -1 + (first + 0.5) * STEP];
  for (let round = 0; round < 12; round++) {
    const middle = (excluded + possible) / 2;
    if (isExcluded(middle)) excluded = middle;
    else possible = middle;
  }
  return excluded;
}
