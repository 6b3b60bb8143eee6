import { meanChange } from '../../src/statistics/mean-change.ts';
import { normal } from './draw.js';
import { share } from './fixed.js';

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
 * Costs as they are: configurations differ by factors, and each has a tail.
 * @param {(found: import('../../src/statistics/mean-change.ts').MeanChange) => boolean} is
 * @param {number} [factor] by how much head costs more @returns {Cell[]}
 */
const each = (is, factor = 1) =>
  Object.entries(TAILS).flatMap(([name, tail]) =>
    SIZES.flatMap(([base, head]) =>
      [1, 5].map((configurations) => ({
        label: `${name}, K=${configurations}, ${base}v${head}`,
        once: (/** @type {Random} */ random) => {
          const values = (/** @type {number} */ runs, /** @type {number} */ scale) =>
            Array.from({ length: runs }, () => scale * tail(random));
          const groups = Array.from({ length: configurations }, (_, at) => ({
            base: values(base, 2 ** at),
            head: values(head, factor * 2 ** at),
          }));
          const found = meanChange(groups, { kind: 'ratio', alpha });
          return share(found !== null && is(found));
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
    cells: each(
      ({ interval }) => interval === null || (interval.low <= FACTOR && FACTOR <= interval.high),
      FACTOR,
    ),
  },
];
