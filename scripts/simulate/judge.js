import { predictionPoweredMean } from '../../src/statistics/prediction-powered-mean.ts';
import { weightedKappa } from '../../src/statistics/weighted-kappa.ts';
import { share } from './fixed.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */

const alpha = 0.05;
const LEVELS = [2, 5];
const LABELS = [10, 20, 50];

/** A person's score, and that of a judge who mostly agrees and errs upwards.
 * @param {Random} random @param {number} levels @param {number} errors */
function pair(random, levels, errors) {
  const human = random.below(levels);
  const judge = random.chance(errors) ? Math.min(levels - 1, human + 1) : human;
  return { human: human / (levels - 1), judge: judge / (levels - 1) };
}

/** Scores are even, so the distribution of pairs is known. @param {number} levels @param {number} errors */
function trueKappa(levels, errors) {
  const step = 1 / (levels - 1);
  const scores = Array.from({ length: levels }, (_, at) => at * step);
  const judged = scores.flatMap((score, at) => [
    { score, share: (1 - errors) / levels + (at === levels - 1 ? errors / levels : 0) },
    { score: Math.min(1, score + step), share: at === levels - 1 ? 0 : errors / levels },
  ]);
  const observed = ((errors * (levels - 1)) / levels) * step ** 2;
  const expected = scores.reduce(
    (sum, human) => sum + judged.reduce((all, judge) => all + (judge.share * (human - judge.score) ** 2) / levels, 0),
    0,
  );
  return 1 - observed / expected;
}

const situations = LEVELS.flatMap((levels) =>
  LABELS.flatMap((labels) =>
    [0.05, 0.2, 0.4].map((errors) => ({
      levels,
      labels,
      errors,
      label: `${levels} levels, ${labels} labels, ${errors * 100} % errors`,
    })),
  ),
);

/** @type {Criterion[]} */
export const judge = [
  {
    what: 'coverage of the interval of the weighted kappa',
    bar: { atLeast: 0.93 },
    of: 'worst',
    cells: situations.map(({ levels, labels, errors, label }) => {
      const truth = trueKappa(levels, errors);
      return {
        label,
        once: (random) => {
          const pairs = Array.from({ length: labels }, () => pair(random, levels, errors));
          const interval = weightedKappa(pairs, { alpha })?.interval ?? { low: -1, high: 1 };
          return share(interval.low <= truth && truth <= interval.high);
        },
      };
    }),
  },
  {
    what: 'coverage of the corrected mean score of a judge',
    bar: { atLeast: 0.93 },
    of: 'worst',
    cells: situations.map(({ levels, labels, errors, label }) => ({
      label,
      once: (random) => {
        const labelled = Array.from({ length: labels }, () => pair(random, levels, errors));
        const judged = Array.from({ length: 200 }, () => pair(random, levels, errors).judge);
        const interval = predictionPoweredMean({ labelled, judged }, { alpha })?.interval ?? {
          low: 0,
          high: 1,
        };
        return share(interval.low <= 0.5 && 0.5 <= interval.high);
      },
    })),
  },
];
