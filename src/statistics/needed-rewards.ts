import { mean } from '#lib';
import { logChoose } from './log-factorial.js';
import { powerByMeans, type Turn, verdictByMeans } from './look-at-means.js';
import {
  averageSweeps,
  type ExpectedSweeps,
  futileAfter,
  smallestShown,
  type SweepToExpect,
  type ToShow,
} from './needed-runs.js';
import { normalQuantileOfTail } from './normal.js';

/** Earlier rewards of a configuration, each from 0 to 1. */
type Rewards = readonly number[];

/** 0 and 1 are added, because few runs tell little about how much rewards vary. */
const withExtremes = (rewards: Rewards): number[] => [...rewards, 0, 1];

/** Some rewards become 1 or, for a fall, 0, so that the mean changes: which it is, and how many of all. */
function movedBy(change: number, middle: number): { to: number; share: number } {
  const to = change > 0 ? 1 : 0;
  return { to, share: Math.min(1, Math.abs(change) / Math.abs(to - middle)) };
}

/** The variance of a run of base and one of head together, whose mean differs by so much towards the middle. */
function variance(rewards: Rewards, difference: number): number {
  const all = withExtremes(rewards);
  const middle = mean(all) ?? 0;
  const square = mean(all.map((reward) => reward ** 2)) ?? 0;
  const { to, share } = movedBy(middle >= 0.5 ? -difference : difference, middle);
  const head = (1 - share) * middle + share * to;
  return square - middle ** 2 + (1 - share) * square + share * to ** 2 - head ** 2;
}

/**
 * Returns how many runs each configuration needs on each side to show a difference of mean rewards with this power, not
 * rounded. For normal sums, with the correction for an estimated variance of W. C. Guenther, "Sample size formulas for
 * normal theory t tests", The American Statistician 35 (1981) 243-244.
 */
export function runsToShowMeans(configurations: readonly Rewards[], { difference, alpha, power }: ToShow): number {
  const z = normalQuantileOfTail(alpha / 2);
  const both = mean(configurations.map((rewards) => variance(rewards, difference))) ?? 0;
  return (both * ((z + normalQuantileOfTail(1 - power)) / difference) ** 2 + z ** 2 / 4) / configurations.length;
}

/**
 * Returns the smallest difference of mean rewards that so many runs of each configuration on each side show with this
 * power; null if not even the largest one is shown.
 */
export function smallestMeansToShow(
  configurations: readonly Rewards[],
  { runs, alpha, power }: Omit<ToShow, 'difference'> & { runs: number },
): number | null {
  // The permutation test of so few runs cannot reach the level.
  if (Math.log(2) - configurations.length * logChoose(2 * runs, runs) > Math.log(alpha)) return null;
  return smallestShown((difference) => runsToShowMeans(configurations, { difference, alpha, power }) <= runs);
}

/**
 * Simulates sweeps that compare mean rewards, as `expectedRounds` does for passes. Rewards of base are drawn from the
 * earlier ones.
 */
export function expectedRoundsOfMeans(
  configurations: readonly Rewards[],
  change: number,
  { rounds: most, effect, alpha }: SweepToExpect,
  random: () => number,
): ExpectedSweeps {
  const plan = { alpha, margin: null, most: most * configurations.length };
  const known = configurations.map(withExtremes);
  const draw = (): Turn => known.map((rewards) => drawPair(rewards, change, random));
  return averageSweeps(configurations.length, () => {
    const turns = Array.from({ length: most }, draw);
    const ends = Array.from(turns, (_, at) => at + 1);
    const clear = ends.find((end) => verdictByMeans(turns.slice(0, end), plan) !== 'undecided') ?? null;
    const futile = futileAfter(most, (end) => powerByMeans(turns.slice(0, end), { ...plan, effect }));
    return { rounds: Math.min(clear ?? most, futile ?? most), isFound: clear !== null && clear <= (futile ?? most) };
  });
}

function drawPair(rewards: Rewards, change: number, random: () => number): Turn[number] {
  const draw = (): number => rewards[Math.floor(random() * rewards.length)] ?? 0;
  const { to, share } = movedBy(change, mean(rewards) ?? 0);
  const difference = (random() < share ? to : draw()) - draw();
  return { low: difference, high: difference };
}
