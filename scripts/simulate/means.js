import { ratioOfMeans } from '../../src/statistics/ratio-of-means.ts';
import { normal } from './draw.js';
import { share } from './fixed.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */

/** Costs as they are: configurations differ by factors, and each is log-normal.
 * @param {import('./draw.js').Random} random @param {number} configurations @param {number} runs @param {number} sigma */
function groups(random, configurations, runs, sigma) {
  return Array.from({ length: configurations }, (_, at) => {
    const values = () => Array.from({ length: runs }, () => Math.exp(at + sigma * normal(random)));
    return { base: values(), head: values() };
  });
}

/** @type {Criterion[]} */
export const means = [
  {
    what: 'ratio of costs: type I error, n from 3 to 10',
    bar: { atMost: 0.056, isReached: true },
    of: 'worst',
    cells: [1, 3, 5, 10].flatMap((configurations) =>
      [3, 5, 10].flatMap((runs) =>
        [0.3, 1].map((sigma) => ({
          label: `K=${configurations}, n=${runs}, sigma ${sigma}`,
          once: (/** @type {import('./draw.js').Random} */ random) => {
            const ratio = ratioOfMeans(groups(random, configurations, runs, sigma), { alpha: 0.05 });
            return share(ratio !== null && ratio.p !== null && ratio.p <= 0.05);
          },
        })),
      ),
    ),
  },
];
