import { rankAgents } from '../../src/decide/ranking/rank-agents.ts';
import { count, DESIGNS, ratesOf } from './draw.js';
import { share } from './fixed.js';
import { compared, sweepOf } from './sweeps.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */
/** @typedef {import('./draw.js').Rates} Rates */

const alpha = 0.05;

/** @param {Random} random @param {readonly Rates[]} rates @param {readonly [base: number, head: number]} sizes */
const verdictOf = (random, rates, [base, head]) =>
  compared(rates.map((one) => ({ base: count(random, one.base, base), head: count(random, one.head, head) }))).verdict;

/** @type {[number, number][]} */
const SIZES = [
  [5, 5],
  [3, 30],
  [30, 3],
  [50, 5],
];
const SITUATIONS = Object.entries(DESIGNS).flatMap(([name, design]) =>
  [1, 3].flatMap((configurations) =>
    SIZES.map((sizes) => ({
      label: `${name}, K=${configurations}, ${sizes.join('v')}`,
      rates: ratesOf(design(configurations)),
      sizes,
    })),
  ),
);

/** Every agent passes as often in each scenario. @param {number} agents @returns {Criterion['cells'][number]} */
const alike = (agents) => ({
  label: `${agents} agents`,
  once: (random) => {
    const runs = Array.from({ length: agents }, (_, agent) => `a${agent}`).flatMap((agent) =>
      [0.9, 0.6, 0.3].flatMap((rate, scenario) =>
        Array.from({ length: 10 }, () => ({ agent, scenario: `s${scenario}`, passes: random.chance(rate) })),
      ),
    );
    const { pairs } = rankAgents(sweepOf('s', runs), { alpha, margin: null });
    return share(pairs.some(({ verdict }) => verdict === 'better' || verdict === 'worse'));
  },
});

/** @type {Criterion[]} */
export const shipped = [
  .../** @type {const} */ (['better', 'worse']).map((direction) => ({
    what: `compare, unequal numbers of runs: false "${direction}"`,
    // Half of alpha, and what the score test may exceed it by.
    bar: { atMost: 0.035 },
    of: /** @type {const} */ ('worst'),
    cells: SITUATIONS.map(({ label, rates, sizes }) => ({
      label,
      once: (/** @type {Random} */ random) => share(verdictOf(random, rates, sizes) === direction),
    })),
  })),
  {
    what: 'compare: power for a rise minus that for the opposite fall, and the other way round',
    bar: { atMost: 0.015 },
    of: 'worst',
    cells: [1, -1].flatMap((sign) =>
      [1, 5].map((configurations) => ({
        label: `K=${configurations}, 10v10, ${sign}`,
        once: (/** @type {Random} */ random) => {
          const rates = ratesOf(
            Array.from({ length: configurations }, () => 0.4),
            0.3,
          );
          const fall = rates.map(({ base, head }) => ({ base: head, head: base }));
          const rises = share(verdictOf(random, rates, [10, 10]) === 'better');
          return sign * (rises - share(verdictOf(random, fall, [10, 10]) === 'worse'));
        },
      })),
    ),
  },
  {
    what: 'ranking of equal agents: any difference found',
    bar: { atMost: alpha },
    of: 'worst',
    cells: [3, 5].map(alike),
  },
];
