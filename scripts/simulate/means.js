import { compareSweeps } from '../../src/decide/comparison/compare-sweeps.ts';
import { normal } from './draw.js';
import { share } from './fixed.js';
import { sweepOf } from './sweeps.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./criterion.js').Cell} Cell */
/** @typedef {import('./draw.js').Random} Random */

const alpha = 0.05;
/** Tails of costs: a factor for each run. @type {Record<string, (random: Random) => number>} */
const TAILS = {
  'sigma 0.3': (random) => Math.exp(0.3 * normal(random)),
  'sigma 1': (random) => Math.exp(normal(random)),
  'a tenth 50x': (random) => Math.exp(0.3 * normal(random)) * (random.chance(0.1) ? 50 : 1),
};
/** @type {[base: number, head: number][]} */
const SIZES = [
  [4, 4],
  [10, 10],
  [3, 20],
  [20, 3],
];
const FACTOR = 2;

/**
 * The answer of `compare` about realistic costs: configurations differ by factors, and each has a tail.
 * @param {(effect: import('../../src/decide/comparison/measure.ts').Effect) => boolean} is
 * @param {number} [factor] by how much head costs more @returns {Cell[]}
 */
const each = (is, factor = 1) =>
  Object.entries(TAILS).flatMap(([name, tail]) =>
    SIZES.flatMap(([base, head]) =>
      [1, 5].map((configurations) => ({
        label: `${name}, K=${configurations}, ${base}v${head}`,
        once: (/** @type {Random} */ random) => {
          const sweep = (/** @type {string} */ side, /** @type {number} */ runs, /** @type {number} */ by) =>
            sweepOf(
              side,
              Array.from({ length: configurations * runs }, (_, at) => ({
                scenario: `s${at % configurations}`,
                passes: true,
                cost_usd: by * 2 ** (at % configurations) * tail(random),
              })),
            );
          const [before, now] = [sweep('base', base, 1), sweep('head', head, factor)];
          const { measures } = compareSweeps(before, now, new Map()).total;
          const effect = measures.find(({ name: measure }) => measure === 'cost_usd')?.effect;
          return share(effect != null && is(effect));
        },
      })),
    ),
  );

/** @type {Criterion[]} */
export const means = [
  {
    what: 'ratio of costs: type I error, heavy tails and unequal numbers of runs',
    bar: { atMost: 0.055 },
    of: 'worst',
    cells: each(({ p }) => p !== null && p <= alpha),
  },
  {
    what: `ratio of costs: coverage where head costs ${FACTOR} times as much`,
    bar: { atLeast: 0.94 },
    of: 'worst',
    cells: each(({ interval }) => interval === null || (interval.low <= FACTOR && FACTOR <= interval.high), FACTOR),
  },
];
