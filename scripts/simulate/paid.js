import { boundariesOf } from '../../src/statistics/spending.ts';
import { testDifference } from '../../src/statistics/test-difference.ts';
import { normal, randomOf, strata } from './draw.js';
import { untilClear } from './sequential.js';

/** @typedef {import('./draw.js').Rates} Rates */

const ALPHA = 0.05;
const CAP = 20;
/** The most runs of a configuration and side of a fixed number. */
const MOST_FIXED = 60;
/** @type {[configurations: number, one: number, other: number][]} */
const CASES = [
  [1, 0.9, 0.5],
  [1, 0.9, 0.3],
  [2, 0.9, 0.5],
  [5, 0.6, 0.4],
  [5, 0.9, 0.7],
  [10, 0.6, 0.4],
  [10, 0.9, 0.7],
];
const ERRORS = [0, 0.05];
/** Powers of the share of information by which alpha is spent. */
const SPENDING = [0.5, 1, 1.5, 2, 3, 4];
const LOOKS = 20;
const WALKS = 4000;

/**
 * Compares the pairs that `run --until-clear` pays for with those of a fixed number of the same power, and with those
 * of the best group-sequential design, without errors.
 * @param {{ seed: string, simulations: number }} options
 * @returns {Generator<string>} lines to print
 */
export function* paid({ seed, simulations }) {
  yield `paid: pairs until the verdict, at most ${CAP} of each configuration, ${simulations} times`;
  for (const [configurations, one, other] of CASES)
    for (const [base, head] of /** @type {const} */ ([
      [one, other],
      [other, one],
    ])) {
      const rates = Array.from({ length: configurations }, () => ({ base, head }));
      const what = `K=${configurations}, ${100 * base} -> ${100 * head} %`;
      for (const errors of ERRORS) {
        const { power, pairs, error } = played(rates, errors, { seed: `${seed} ${what}`, simulations });
        const fixed = configurations * fixedRuns(rates, power, { seed: `${seed} fixed ${what}`, simulations });
        const ideal = errors > 0 || power > 0.999 ? '' : `, ideal ${idealShare(power, seed).toFixed(2)}`;
        yield `${what.padEnd(20)} ${100 * errors} % errors: power ${power.toFixed(3)} ± ${Math.sqrt((power * (1 - power)) / simulations).toFixed(3)}, ${pairs.toFixed(1)} ± ${error.toFixed(1)} pairs, fixed ${fixed}, ${(pairs / fixed).toFixed(2)} of that${ideal}`;
      }
    }
}

/** @param {readonly Rates[]} rates @param {'better' | 'worse'} verdict */
const isRight = ([first], verdict) => verdict === ((first?.head ?? 0) > (first?.base ?? 0) ? 'better' : 'worse');

/** @param {readonly Rates[]} rates @param {number} errors @param {{ seed: string, simulations: number }} options */
function played(rates, errors, { seed, simulations }) {
  let [found, sum, squares] = [0, 0, 0];
  for (let index = 0; index < simulations; index++) {
    const { verdict, rounds } = untilClear(randomOf(seed, 'paid', index), rates, { margin: null, errors });
    const pairs = rounds * rates.length;
    if ((verdict === 'better' || verdict === 'worse') && isRight(rates, verdict)) found += 1;
    sum += pairs;
    squares += pairs ** 2;
  }
  const pairs = sum / simulations;
  return {
    power: found / simulations,
    pairs,
    error: Math.sqrt(Math.max(0, squares / simulations - pairs ** 2) / simulations),
  };
}

/**
 * The fewest runs of each configuration and side with which a test of a fixed number has this power.
 * @param {readonly Rates[]} rates @param {number} power @param {{ seed: string, simulations: number }} options
 */
function fixedRuns(rates, power, { seed, simulations }) {
  const powerOf = (/** @type {number} */ runs) => {
    let found = 0;
    for (let index = 0; index < simulations; index++) {
      const { verdict } = testDifference(strata(randomOf(seed, String(runs), index), rates, runs), { alpha: ALPHA });
      if ((verdict === 'better' || verdict === 'worse') && isRight(rates, verdict)) found += 1;
    }
    return found / simulations;
  };
  let [low, high] = [1, MOST_FIXED];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (powerOf(middle) >= power) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The share of the runs of a fixed number that the best of some group-sequential designs takes on average, if scores
 * are normal. @param {number} power @param {string} seed
 */
function idealShare(power, seed) {
  const times = Array.from({ length: LOOKS }, (_, at) => (at + 1) / LOOKS);
  const walks = Array.from({ length: WALKS }, (_, index) => {
    const random = randomOf(seed, 'walk', index);
    let sum = 0;
    return times.map(() => (sum += normal(random) / Math.sqrt(LOOKS)));
  });
  /** Finds the smallest number at which a growing function is at least a value. */
  const least = (/** @type {(at: number) => boolean} */ isEnough) => {
    let [low, high] = [0, 10];
    for (let step = 0; step < 16; step++) {
      const middle = (low + high) / 2;
      if (isEnough(middle)) high = middle;
      else low = middle;
    }
    return high;
  };
  const shares = SPENDING.map((by) => {
    const zs = boundariesOf(times.map((time) => ({ time, spent: ALPHA * time ** by })));
    const under = (/** @type {number} */ drift) => {
      let [found, time] = [0, 0];
      for (const walk of walks) {
        const at = walk.findIndex((value, look) => {
          const share = times[look] ?? 1;
          return Math.abs(value + drift * share) / Math.sqrt(share) >= (zs[look] ?? Infinity);
        });
        if (at >= 0) found += 1;
        time += times[at] ?? 1;
      }
      return { power: found / WALKS, time: time / WALKS };
    };
    const drift = least((at) => under(at).power >= power);
    // The drift that a test with all of the information would need.
    const needed = least(
      (at) => walks.filter((walk) => Math.abs((walk.at(-1) ?? 0) + at) >= Z).length / WALKS >= power,
    );
    return under(drift).time / (needed / drift) ** 2;
  });
  return Math.min(...shares);
}

/** The quantile of a two-sided test at ALPHA. */
const Z = 1.959964;
