import { isStratumTested, sum, type Count, type Stratum } from './counts.js';
import { meanDifference, scoreStatistic } from './miettinen-nurminen.js';
import { normalQuantileOfTail, normalTail } from './normal.js';
import { mostExtreme, testDifference } from './test-difference.js';
import { timesOf, total, type Round, look } from './look.js';
import { boundaries } from './spending.js';

/** A difference that is to be shown: with this probability, at this level. */
export interface ToShow {
  /** From 0 to 1; its sign does not matter. */
  difference: number;
  alpha: number;
  power: number;
}

/**
 * Returns how many more runs each configuration needs on each side, so that a true difference of this size is shown
 * with this power; null if no configuration has runs on both sides. Pass rates are estimated from the runs so far.
 */
export function neededRuns(strata: readonly Stratum[], toShow: ToShow): number | null {
  const tested = strata.filter(isStratumTested);
  if (tested.length === 0) return null;
  const unseen = Math.max(0, Math.abs(toShow.difference) - Math.abs(meanDifference(tested)));
  const done = sum(tested, ({ base, head }) => base.tested + head.tested) / (2 * tested.length);
  return Math.max(0, Math.ceil(runsToShow(tested.map(bothSides), { ...toShow, unseen }) - done));
}

const bothSides = ({ base, head }: Stratum): Count => ({
  passed: base.passed + head.passed,
  tested: base.tested + head.tested,
});

/**
 * Returns how many runs each configuration needs on each side, not rounded. The number of J. T. Casagrande, M. C. Pike
 * and P. G. Smith, "An improved approximate formula for calculating sample sizes for comparing two binomial
 * distributions", Biometrics 34 (1978) 483-486, for the mean over configurations. `runs`: those of each configuration
 * so far, of both sides together. `unseen`: the part of the difference that they have not shown.
 */
export function runsToShow(
  runs: readonly Count[],
  { difference, unseen = Math.abs(difference), alpha, power }: ToShow & { unseen?: number },
): number {
  const z = normalQuantileOfTail(alpha / 2) + normalQuantileOfTail(1 - power);
  const variance = 2 * meanVariance(runs, unseen);
  const size = Math.abs(difference) * runs.length;
  const uncorrected = (z * z * variance) / (size * Math.abs(difference));
  return (uncorrected * (1 + Math.sqrt(1 + 4 / (uncorrected * size))) ** 2) / 4;
}

/**
 * Returns the mean variance of an outcome at the mean pass rate of both sides, as it would be if the unseen part of the
 * difference lay towards 50 %, where outcomes vary most. One pass and one failure are added, because few runs tell
 * little about rates near 0 and 1.
 */
function meanVariance(runs: readonly Count[], unseen: number): number {
  const varianceOf = ({ passed, tested }: Count): number => {
    const fromMiddle = Math.max(0, Math.abs((passed + 1) / (tested + 2) - 0.5) - unseen / 2);
    return 0.25 - fromMiddle ** 2;
  };
  return sum(runs, varianceOf) / runs.length;
}

/**
 * Returns the smallest difference that so many runs of each configuration on each side show with this power; null if
 * not even the largest one is shown. `sofar`: the runs of each configuration so far, of both sides together.
 */
export function smallestToShow(
  sofar: readonly Count[],
  { runs, alpha, power }: Omit<ToShow, 'difference'> & { runs: number },
): number | null {
  if (runs < ALWAYS_ENOUGH && !canShow(sofar.length, { runs, alpha })) return null;
  return smallestShown((difference) => runsToShow(sofar, { difference, alpha, power }) <= runs);
}

/** Returns the smallest difference from 0 to 1 that is shown, if all larger ones are; null if not even 1 is. */
export function smallestShown(isShown: (difference: number) => boolean): number | null {
  if (!isShown(1)) return null;
  let [low, high] = [0, 1];
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (isShown(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** With so many runs, all against none are significant at any usual level. */
const ALWAYS_ENOUGH = 20;

function canShow(configurations: number, { runs, alpha }: { runs: number; alpha: number }): boolean {
  const none = { passed: 0, tested: runs };
  const most = Array.from({ length: configurations }, () => mostExtreme({ base: none, head: none }));
  return testDifference(most, { alpha }).verdict !== 'too few runs';
}

/**
 * A sequential test that looks for a difference of at least `effect`, from 0 to 1, with `most` pairs of runs at the
 * cap.
 */
interface EffectPlan {
  effect: number;
  alpha: number;
  most: number;
}

/** A sweep is given up when it would find the effect with less than this probability. */
const FUTILE = 0.2;

/**
 * Returns the probability that the last look still finds a difference, if head is better or worse by the effect from
 * now on, whichever is more likely to be found. A stop because of it makes a false "better" or "worse" only less
 * likely, so it needs no correction. By the B-value: K. K. G. Lan and J. Wittes, "The B-value: a tool for monitoring
 * data", Biometrics 44 (1988) 579-585.
 */
export function conditionalPower(rounds: readonly Round[], { effect, alpha, most }: EffectPlan): number {
  const times = timesOf(rounds, most);
  const time = times.at(-1) ?? 0;
  const strata = total(rounds).filter(isStratumTested);
  if (strata.length === 0 || time >= 1) return 1;
  const drift = effect / Math.sqrt((2 * meanVariance(strata.map(bothSides), effect)) / most);
  // The looks until then spend alpha, too. One of them, halfway, takes about as much from the last as all together.
  const end = boundaries([...times, (time + 1) / 2, 1], alpha).at(-1) ?? Infinity;
  const sofar = Math.abs(scoreStatistic(strata, 0)) * Math.sqrt(time);
  return normalTail((end - sofar - drift * (1 - time)) / Math.sqrt(1 - time));
}

/** Returns after how many of the rounds the effect was unlikely to be found any more; null: after none. */
export function futileAfter(rounds: number, powerAfter: (rounds: number) => number): number | null {
  const at = Array.from({ length: rounds }, (_, index) => index + 1).find((count) => powerAfter(count) < FUTILE);
  return at ?? null;
}

/** True pass rates of a configuration on both sides. */
interface Rates {
  base: number;
  head: number;
}

/** The average of sweeps that stop as soon as the verdict is clear. */
export interface ExpectedSweeps {
  /** The mean number of rounds, each with a run of each configuration on each side. */
  rounds: number;
  /** The share of sweeps that end with "better" or "worse". */
  found: number;
}

/** A sweep with at most `rounds` rounds, which gives up when a difference of `effect` is unlikely to be found. */
export interface SweepToExpect {
  rounds: number;
  effect: number;
  alpha: number;
}

/** Simulates sweeps that compare pass rates. */
export function expectedRounds(
  rates: readonly Rates[],
  { rounds: most, effect, alpha }: SweepToExpect,
  random: () => number,
): ExpectedSweeps {
  const plan = { alpha, margin: null, most: most * rates.length };
  return averageSweeps(rates.length, () => {
    const drawn = Array.from({ length: most }, () => drawRound(rates, random));
    const last = look(drawn, plan);
    const powerAfter = (end: number): number => conditionalPower(drawn.slice(0, end), { ...plan, effect });
    const rounds = Math.min(last.rounds, futileAfter(most, powerAfter) ?? most);
    return { rounds, isFound: rounds === last.rounds && last.verdict !== 'undecided' };
  });
}

/** With many configurations, sweeps take longer to simulate and vary less. */
const simulationsOf = (configurations: number): number => Math.ceil(Math.min(200, Math.max(10, 1000 / configurations)));

/** Returns the average of sweeps, each simulated by `sweep`. */
export function averageSweeps(
  configurations: number,
  sweep: () => { rounds: number; isFound: boolean },
): ExpectedSweeps {
  const sweeps = Array.from({ length: simulationsOf(configurations) }, sweep);
  const found = sweeps.filter(({ isFound }) => isFound).length;
  return { rounds: sum(sweeps, ({ rounds }) => rounds) / sweeps.length, found: found / sweeps.length };
}

const drawRound = (rates: readonly Rates[], random: () => number): Round => {
  const draw = (rate: number) => ({ passed: random() < rate ? 1 : 0, tested: 1 });
  return rates.map(({ base, head }) => ({ base: draw(base), head: draw(head) }));
};
