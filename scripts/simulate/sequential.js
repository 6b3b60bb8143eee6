import { look, total } from '../../src/statistics/look.ts';
import { nextRound } from '../../src/statistics/next-round.ts';
import { testDifference } from '../../src/statistics/test-difference.ts';
import { count, DESIGNS, ratesOf, spread, strata } from './draw.js';
import { share } from './fixed.js';
import { stopWithoutCap } from './without-cap.js';

/** @typedef {import('./criterion.js').Cell} Cell */
/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Rates} Rates */
/** @typedef {import('./draw.js').Random} Random */

const alpha = 0.05;
const ROUNDS = 20;

/**
 * Runs all rounds: which runs follow does not depend on whether a look stops, and a look counts only the rounds until it does.
 * @param {Random} random @param {readonly Rates[]} rates
 * @param {{ margin: number | null, rounds?: number, adaptive?: boolean, cap?: number }} options `cap`: pairs of a configuration
 */
export function untilClear(random, rates, { margin, ...options }) {
  const all = allRounds(random, rates, options);
  return look(all, { alpha, margin, most: (options.rounds ?? ROUNDS) * rates.length });
}

/**
 * @param {Random} random @param {readonly Rates[]} rates
 * @param {{ rounds?: number, adaptive?: boolean, cap?: number }} options `cap`: pairs of a configuration
 */
function allRounds(random, rates, { rounds: most = ROUNDS, adaptive = false, cap = most }) {
  /** @type {import('./draw.js').Stratum[][]} */
  const rounds = [];
  const remaining = rates.map(() => cap);
  for (let done = 0; done < most; done++) {
    const pairs = adaptive
      ? nextRound(rounds, { size: rates.length, costs: rates.map(() => 1), remaining })
      : rates.map(() => 1);
    for (const [at, made] of pairs.entries()) remaining[at] = (remaining[at] ?? 0) - made;
    rounds.push(
      rates.map(({ base, head }, at) => ({
        base: count(random, base, pairs[at] ?? 0),
        head: count(random, head, pairs[at] ?? 0),
      })),
    );
  }
  return rounds;
}

/** @param {import('../../src/statistics/look.ts').Look} decided */
const isShown = ({ verdict }) => verdict === 'better' || verdict === 'worse';

const UNCHANGED = Object.entries(DESIGNS).flatMap(([name, design]) =>
  [1, 3, 5, 10].map((configurations) => ({
    label: `${name}, K=${configurations}`,
    rates: ratesOf(design(configurations)),
  })),
);
/** Pass rates of base. Those that would fall below 0 fall to 0. */
const BASE = spread(0.25, 0.65, 5);
const HIGH = spread(0.85, 0.85, 5);
/** More of them, because power depends on the pass rates. */
const BASES = {
  '25 to 65 %': BASE,
  '45 to 85 %': spread(0.45, 0.85, 5),
  '55 to 85 %': spread(0.55, 0.85, 5),
  '50 to 90 %': spread(0.5, 0.9, 5),
  '85 %': HIGH,
};

/** @param {Random} random @param {readonly Rates[]} rates */
const isFoundFixed = (random, rates) =>
  testDifference(strata(random, rates, ROUNDS), { alpha }).verdict === 'worse';

/** @param {Random} random @param {readonly Rates[]} rates */
const isFound = (random, rates) => untilClear(random, rates, { margin: null }).verdict === 'worse';

/**
 * @param {string} what @param {import('./criterion.js').Bar} bar
 * @param {(random: Random) => number} once
 * @param {string} [label] @returns {Criterion}
 */
const single = (what, bar, once, label = '25 to 65 %') => ({
  what,
  bar,
  of: 'worst',
  cells: [{ label, once }],
});

/** @param {Random} random @param {readonly Rates[]} rates */
const rounds = (random, rates) => untilClear(random, rates, { margin: null }).rounds;

/** @param {number} points */
const sequentialBy = (points) => `sequential, K=5, cap 20 rounds, ${points} points:`;

/** The same runs, looked at after each round and only after the last. @param {readonly number[]} base @returns {Cell['once']} */
const lostPower = (base) => (random) => {
  const rates = ratesOf(base, -0.2);
  const all = allRounds(random, rates, {});
  const atOnce = testDifference(total(all), { alpha }).verdict === 'worse';
  return (
    share(atOnce) - share(look(all, { alpha, margin: null, most: ROUNDS * rates.length }).verdict === 'worse')
  );
};

/** Without a cap, a sweep without a difference would run until it finds one by chance. So far it is followed. */
const LONG = 100;

/** @param {Random} random @param {readonly Rates[]} rates @param {number} most */
const stopWithout = (random, rates, most) =>
  stopWithoutCap(
    Array.from({ length: most }, () => strata(random, rates, 1)),
    { alpha },
  );

/** @type {Criterion[]} */
export const sequential = [
  {
    what: 'sequential: type I error',
    bar: { atMost: 0.05 },
    of: 'worst',
    cells: UNCHANGED.map(({ label, rates }) => ({
      label,
      once: (random) => share(isShown(untilClear(random, rates, { margin: null }))),
    })),
  },
  {
    what: 'sequential, adaptive rounds: type I error',
    bar: { atMost: 0.05 },
    of: 'worst',
    cells: UNCHANGED.filter(({ rates }) => rates.length > 1).map(({ label, rates }) => ({
      label,
      once: (random) =>
        share(isShown(untilClear(random, rates, { margin: null, adaptive: true, cap: 2 * ROUNDS }))),
    })),
  },
  {
    what: 'sequential: false "not worse"',
    bar: { atMost: 0.03 },
    of: 'worst',
    cells: [0.1, 0.2].flatMap((margin) =>
      [1, 3, 5].flatMap((configurations) =>
        [0.4, 0.6, 0.85, 0.95].map((base) => ({
          label: `${base * 100} %, K=${configurations}, ${-margin * 100} points`,
          once: (/** @type {Random} */ random) => {
            const rates = ratesOf(spread(base, base, configurations), -margin);
            const { verdict } = untilClear(random, rates, { margin });
            return share(verdict === 'not worse' || verdict === 'equivalent');
          },
        })),
      ),
    ),
  },
  ...Object.entries(BASES).flatMap(([label, base]) => [
    single(
      `fixed, K=5, n=20, -20 points: power, base ${label}`,
      { atLeast: 0.8 },
      (random) => share(isFoundFixed(random, ratesOf(base, -0.2))),
      label,
    ),
    single(
      `${sequentialBy(-20)} power, base ${label}`,
      label === '25 to 65 %' ? { atLeast: 0.85, isReached: true } : { atLeast: 0.8 },
      (random) => share(isFound(random, ratesOf(base, -0.2))),
      label,
    ),
    single(
      `${sequentialBy(-20)} rounds, base ${label}`,
      // Elsewhere, at least a quarter is to be saved.
      label === '25 to 65 %' ? { atMost: 13.8, isReached: true } : { atMost: 15 },
      (random) => rounds(random, ratesOf(base, -0.2)),
      label,
    ),
  ]),
  {
    what: 'power that the looks cost, K=5, 20 rounds, -20 points',
    bar: { atMost: 0.04 },
    of: 'worst',
    cells: Object.entries(BASES).map(([label, base]) => ({ label: `base ${label}`, once: lostPower(base) })),
  },
  single(`${sequentialBy(-30)} power`, { atLeast: 0.997, isReached: true }, (random) =>
    share(isFound(random, ratesOf(BASE, -0.3))),
  ),
  single(`${sequentialBy(-30)} rounds`, { atMost: 9.1, isReached: true }, (random) =>
    rounds(random, ratesOf(BASE, -0.3)),
  ),
  single(
    'no change, base 85 %, "not worse by 20": decided so',
    // Given as 96 %.
    { atLeast: 0.955, isReached: true },
    (random) => {
      const { verdict } = untilClear(random, ratesOf(HIGH), { margin: 0.2 });
      return share(verdict === 'not worse' || verdict === 'equivalent');
    },
    'K=5',
  ),
  single(
    'no change, base 85 %, "not worse by 20": rounds',
    { atMost: 11.4, isReached: true },
    (random) => untilClear(random, ratesOf(HIGH), { margin: 0.2 }).rounds,
    'K=5',
  ),
  {
    what: `a test without a cap: type I error in ${LONG} rounds`,
    bar: { atMost: 0.05 },
    of: 'worst',
    cells: UNCHANGED.map(({ label, rates }) => ({
      label,
      once: (random) => share(stopWithout(random, rates, LONG) !== null),
    })),
  },
  single('a test without a cap, K=5, -20 points: found within 20 rounds', { atMost: 0.75 }, (random) =>
    share(stopWithout(random, ratesOf(BASE, -0.2), ROUNDS) !== null),
  ),
  single(
    'a test without a cap, K=5, -20 points: rounds',
    { atMost: 20 },
    (random) => stopWithout(random, ratesOf(BASE, -0.2), LONG) ?? LONG,
  ),
  single(
    `sequential, K=5, cap ${LONG} rounds, -20 points: rounds`,
    { atMost: 24 },
    (random) => untilClear(random, ratesOf(BASE, -0.2), { margin: null, rounds: LONG }).rounds,
  ),
];
