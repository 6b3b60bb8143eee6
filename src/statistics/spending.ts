import { normalDensity, normalTail } from './normal.js';

/**
 * Returns how much of alpha a sequential test may have spent when the share t of all information is in: little at first,
 * when few runs are known. K. Kim and D. L. DeMets, "Design and analysis of group sequential tests based on the type I error
 * spending rate function", Biometrika 74 (1987) 149-154, with their power 2.
 */
export const spend = (t: number, alpha: number): number => alpha * Math.min(1, Math.max(0, t)) ** 2;

/** Odd, for Simpson's rule. */
const POINTS = 201;

/**
 * Returns, for each look, how many standard errors a two-sided sequential test requires. `times` are the shares of all information,
 * which rise. K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70 (1983)
 * 659-663; integrated numerically as in C. Jennison and B. W. Turnbull, "Group Sequential Methods" (2000), chapter 19.
 */
export function boundaries(times: readonly number[], alpha: number): number[] {
  let last: Look | null = null;
  return times.map((time) => {
    last = nextLook(last, time, alpha);
    return last.z;
  });
}

/** What is known of the sum of scores, whose variance is `time`, if no earlier look has stopped. */
interface Look {
  time: number;
  spent: number;
  z: number;
  values: Float64Array;
  /** Density times the weight of each value in an integral. */
  weights: Float64Array;
}

function nextLook(last: Look | null, time: number, alpha: number): Look {
  const spent = spend(time, alpha);
  const [before, step] = [last?.time ?? 0, Math.sqrt(time - (last?.time ?? 0))];
  if (last !== null && time - before < 1e-9) return last;
  const outside = (z: number): number => {
    const end = z * Math.sqrt(time);
    if (last === null) return 2 * normalTail(z);
    const { values, weights } = last;
    return weights.reduce((all, weight, at) => {
      const value = values[at] ?? 0;
      return all + weight * (normalTail((end - value) / step) + normalTail((end + value) / step));
    }, 0);
  };
  const z = solve(outside, spent - (last?.spent ?? 0));
  const values = grid(z * Math.sqrt(time));
  const weights = values.map((value, at) => {
    const density =
      last === null
        ? normalDensity(value / step) / step
        : last.weights.reduce(
            (all, weight, from) => all + weight * normalDensity((value - (last.values[from] ?? 0)) / step),
            0,
          ) / step;
    return density * simpson(at, values);
  });
  return { time, spent, z, values, weights };
}

/** Returns where a falling function has the value. */
function solve(of: (z: number) => number, value: number): number {
  let [low, high] = [0, 12];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (of(middle) > value) low = middle;
    else high = middle;
  }
  return high;
}

function grid(end: number): Float64Array {
  return Float64Array.from({ length: POINTS }, (_, at) => end * ((2 * at) / (POINTS - 1) - 1));
}

function simpson(at: number, values: Float64Array): number {
  const width = ((values[1] ?? 0) - (values[0] ?? 0)) / 3;
  return at === 0 || at === POINTS - 1 ? width : at % 2 === 1 ? 4 * width : 2 * width;
}
