import { otherScenarios } from '../../src/statistics/other-scenarios.ts';
import { count, normal, spread } from './draw.js';
import { share } from './fixed.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */

const alpha = 0.05;
/** How much the log odds of base vary between scenarios. */
const VARIATION = 1;

/** @param {number} logit */
const rateOf = (logit) => 1 / (1 + Math.exp(-logit));

/** The mean difference of all scenarios that could be drawn. @param {number} middle @param {number} effect @param {number} sigma */
function truth(middle, effect, sigma) {
  const grid = spread(-5, 5, 201).map((z) => ({ z, weight: Math.exp(-0.5 * z * z) }));
  const all = grid.reduce((sum, { weight }) => sum + weight, 0);
  /** @param {number} center @param {number} deviation */
  const mean = (center, deviation) =>
    grid.reduce((sum, { z, weight }) => sum + (weight / all) * rateOf(center + deviation * z), 0);
  return mean(middle + effect, Math.hypot(VARIATION, sigma)) - mean(middle, VARIATION);
}

const situations = [0, 2].flatMap((middle) =>
  [0, -1].flatMap((effect) =>
    [0, 0.5, 1].flatMap((sigma) =>
      [6, 10, 20].flatMap((scenarios) => [3, 10].map((runs) => ({ middle, effect, sigma, scenarios, runs }))),
    ),
  ),
);

/** @type {Criterion[]} */
export const scenarios = [
  {
    what: 'coverage of the interval for scenarios like these',
    bar: { atLeast: 0.93 },
    of: 'worst',
    cells: situations.map(({ middle, effect, sigma, scenarios: drawn, runs }) => {
      const difference = truth(middle, effect, sigma);
      return {
        label: `${drawn} scenarios, n=${runs}, log odds ${middle} ± ${VARIATION}, change ${effect} ± ${sigma}`,
        once: (random) => {
          const strata = Array.from({ length: drawn }, () => {
            const base = middle + VARIATION * normal(random);
            const head = base + effect + sigma * normal(random);
            return [{ base: count(random, rateOf(base), runs), head: count(random, rateOf(head), runs) }];
          });
          const { low, high } = otherScenarios(strata, { alpha })?.interval ?? { low: 1, high: -1 };
          return share(low <= difference && difference <= high);
        },
      };
    }),
  },
];
