import { normalDensity, normalTail } from './normal.js';
import { remember } from './remember.js';

/**
 * Returns how much of alpha a sequential test may have spent when the share `time` of all information is in: little at
 * first, when few runs are known. K. Kim and D. L. DeMets, "Design and analysis of group sequential tests based on the
 * type I error spending rate function", Biometrika 74 (1987) 149-154, with the power 2.
 */
export const spend = (time: number, alpha: number): number => alpha * Math.min(1, Math.max(0, time)) ** 2;

/**
 * Returns, for each look, how many standard errors a two-sided sequential test requires. `times` are the shares of all
 * information; they never fall. K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials",
 * Biometrika 70 (1983) 659-663; integrated as in C. Jennison and B. W. Turnbull, "Group Sequential Methods with
 * Applications to Clinical Trials" (2000), chapter 19.
 */
export const boundaries = (times: readonly number[], alpha: number): number[] =>
  boundariesOf(times.map((time) => ({ time, spent: spend(time, alpha) })));

/** The same for any way to spend alpha. `spent`: by all looks so far. */
export function boundariesOf(looks: readonly Pick<SpendingStage, 'time' | 'spent'>[]): number[] {
  let last = NO_LOOK;
  let key = '';
  return looks.map(({ time, spent }) => {
    key += `${time} ${spent} `;
    const before = last;
    last = lookBy(key, () => lookAfter(before, time, spent));
    return last.z;
  });
}

/** By all looks so far: each look of a sweep needs those before it, and their integrals take milliseconds. */
const lookBy = remember<SpendingStage>(200);

/** A look, if none before it has stopped, at a sum of scores whose variance is `time`. */
interface SpendingStage {
  time: number;
  spent: number;
  z: number;
  values: Float64Array;
  /** Density of each value, times its weight in an integral. Only the next look needs it. */
  masses: () => Float64Array;
}

const ONE = Float64Array.of(1);
const NO_LOOK: SpendingStage = {
  time: 0,
  spent: 0,
  z: Infinity,
  values: Float64Array.of(0),
  masses: () => ONE,
};

/** Odd, for Simpson's rule. With more points, no boundary changes by 1e-4. */
const POINTS = 101;
const SMALLEST_STEP = 1e-9;

function lookAfter(last: SpendingStage, time: number, spent: number): SpendingStage {
  if (time - last.time < SMALLEST_STEP) return last;
  const step = Math.sqrt(time - last.time);
  const end = endThatCuts(spent - last.spent, last, time);
  const values = Float64Array.from({ length: POINTS }, (_, at) => end * ((2 * at) / (POINTS - 1) - 1));
  const width = (2 * end) / (POINTS - 1);
  let masses: Float64Array | null = null;
  const massOf = (value: number, at: number): number => (width / 3) * simpson(at) * densityAt(value, last, step);
  return { time, spent, z: end / Math.sqrt(time), values, masses: () => (masses ??= values.map(massOf)) };
}

/** Returns beyond which value, on either side, the sum lies with this probability. */
function endThatCuts(probability: number, last: SpendingStage, time: number): number {
  const step = Math.sqrt(time - last.time);
  let [low, high] = [0, 12 * Math.sqrt(time)];
  for (let round = 0; round < 45; round++) {
    const middle = (low + high) / 2;
    if (outside(middle, last, step) > probability) low = middle;
    else high = middle;
  }
  return high;
}

// Loops over indices, because iterators are several times slower here.
function outside(end: number, { values, masses: massesOf }: SpendingStage, step: number): number {
  const masses = massesOf();
  let all = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0;
    all += (masses[at] ?? 0) * (normalTail((end - value) / step) + normalTail((end + value) / step));
  }
  return all;
}

function densityAt(value: number, { values, masses: massesOf }: SpendingStage, step: number): number {
  const masses = massesOf();
  let all = 0;
  for (let at = 0; at < values.length; at++)
    all += (masses[at] ?? 0) * normalDensity((value - (values[at] ?? 0)) / step);
  return all / step;
}

const simpson = (at: number): number => (at === 0 || at === POINTS - 1 ? 1 : at % 2 === 1 ? 4 : 2);
