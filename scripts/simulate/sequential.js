import { look } from '../../src/statistics/look.ts';
import { nextRound } from '../../src/statistics/next-round.ts';
import { count, DESIGNS, ratesOf, spread, strata } from './draw.js';
import { share } from './fixed.js';
import { testDifference } from '../../src/statistics/test-difference.ts';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Rates} Rates */
/** @typedef {import('./draw.js').Random} Random */

const alpha = 0.05;
const ROUNDS = 20;

/**
 * Runs all rounds: which runs follow does not depend on whether a look stops, and a look counts only the rounds until it does.
 * @param {Random} random @param {readonly Rates[]} rates
 * @param {{ margin: number | null, adaptive?: boolean, cap?: number }} options `cap`: pairs of a configuration
 */
export function untilClear(random, rates, { margin, adaptive = false, cap = ROUNDS }) {
  /** @type {import('./draw.js').Stratum[][]} */
  const rounds = [];
  const remaining = rates.map(() => cap);
  const most = ROUNDS * rates.length;
  for (let done = 0; done < most; done += rates.length) {
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
  return look(rounds, { alpha, margin, most });
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

/** @param {string} what @param {{ atLeast: number }} bar @param {number} difference @returns {Criterion} */
const power = (what, bar, difference) => ({
  what: `sequential, K=5, cap 20 rounds, ${difference * 100} points: ${what}`,
  bar,
  of: 'worst',
  cells: [
    {
      label: '25 to 65 %',
      once: (random) =>
        share(untilClear(random, ratesOf(BASE, difference), { margin: null }).verdict === 'worse'),
    },
  ],
});

/** @param {number} difference @param {number} atMost @returns {Criterion} */
const roundsUsed = (difference, atMost) => ({
  what: `sequential, K=5, cap 20 rounds, ${difference * 100} points: rounds`,
  bar: { atMost },
  of: 'worst',
  cells: [
    {
      label: '25 to 65 %',
      once: (random) => untilClear(random, ratesOf(BASE, difference), { margin: null }).rounds,
    },
  ],
});

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
  {
    what: 'fixed, K=5, n=20, -20 points: power, for comparison',
    bar: { atLeast: 0.86 },
    of: 'worst',
    cells: [
      {
        label: '25 to 65 %',
        once: (random) =>
          share(testDifference(strata(random, ratesOf(BASE, -0.2), ROUNDS), { alpha }).verdict === 'worse'),
      },
    ],
  },
  power('power', { atLeast: 0.85 }, -0.2),
  roundsUsed(-0.2, 13.8),
  power('power', { atLeast: 0.99 }, -0.3),
  roundsUsed(-0.3, 9.1),
  {
    what: 'no change, base 85 %, "not worse by 20": decided so',
    bar: { atLeast: 0.95 },
    of: 'worst',
    cells: [
      {
        label: 'K=5',
        once: (random) => {
          const { verdict } = untilClear(random, ratesOf(HIGH), { margin: 0.2 });
          return share(verdict === 'not worse' || verdict === 'equivalent');
        },
      },
    ],
  },
  {
    what: 'no change, base 85 %, "not worse by 20": rounds',
    bar: { atMost: 11.4 },
    of: 'worst',
    cells: [{ label: 'K=5', once: (random) => untilClear(random, ratesOf(HIGH), { margin: 0.2 }).rounds }],
  },
];
