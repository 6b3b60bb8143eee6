import { shrunkRates } from '../../src/statistics/shrunk-rates.ts';
import { count, normal } from './draw.js';
import { share } from './fixed.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */

const alpha = 0.05;

/**
 * G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables" (2000).
 * @param {Random} random
 * @param {number} shape
 * @returns {number}
 */
function gamma(random, shape) {
  const uniform = () => (random.below(2 ** 30) + 0.5) / 2 ** 30;
  if (shape < 1) return gamma(random, shape + 1) * uniform() ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** The pass rate of a scenario. @param {Random} random @param {number} mean @param {number} correlation */
function drawRate(random, mean, correlation) {
  if (correlation === 0) return mean;
  const size = 1 / correlation - 1;
  const [passed, failed] = [gamma(random, mean * size), gamma(random, (1 - mean) * size)];
  return passed / (passed + failed);
}

/** @param {Random} random @param {{ mean: number, correlation: number, scenarios: number, runs: number }} situation */
function draw(random, { mean, correlation, scenarios, runs }) {
  const rates = Array.from({ length: scenarios }, () => drawRate(random, mean, correlation));
  const counts = rates.map((rate) => count(random, rate, runs));
  const shrunk = shrunkRates(counts, { alpha }) ?? [];
  return { rates, counts, shrunk };
}

const situations = [0.5, 0.85].flatMap((mean) =>
  [0, 0.1, 0.3, 0.5].flatMap((correlation) =>
    [6, 20].flatMap((scenarios) =>
      [3, 10].map((runs) => ({
        situation: { mean, correlation, scenarios, runs },
        label: `${100 * mean} %, correlation ${correlation}, ${scenarios} scenarios, n=${runs}`,
      })),
    ),
  ),
);

/** @param {readonly number[]} values */
const meanOf = (values) => values.reduce((all, one) => all + one, 0) / values.length;

/** @type {Criterion[]} */
export const shrinkage = [
  {
    what: 'coverage of the intervals of single scenarios',
    bar: { atLeast: 0.935 },
    of: 'worst',
    cells: situations.map(({ situation, label }) => ({
      label,
      once: (random) => {
        const { rates, shrunk } = draw(random, situation);
        return meanOf(
          shrunk.map(({ interval }, at) => {
            const rate = rates[at] ?? 0;
            return share(interval.low <= rate && rate <= interval.high);
          }),
        );
      },
    })),
  },
  {
    what: 'squared error of the rates of single scenarios, n=3, of that without the others',
    bar: { atMost: 0.8, isReached: true },
    of: 'mean',
    cells: situations
      .filter(({ situation }) => situation.runs === 3 && situation.correlation > 0)
      .map(({ situation, label }) => ({
        label,
        once: (random) => {
          const { rates, counts, shrunk } = draw(random, situation);
          /** @param {readonly number[]} estimates */
          const error = (estimates) => meanOf(estimates.map((estimate, at) => (estimate - (rates[at] ?? 0)) ** 2));
          // The expected error of the raw rate, so that a sample in which it is 0 by chance does not divide by 0.
          const expected = meanOf(rates.map((rate) => (rate * (1 - rate)) / 3));
          return counts.length === 0 ? 0 : error(shrunk.map(({ rate }) => rate)) / Math.max(0.01, expected);
        },
      })),
  },
];
