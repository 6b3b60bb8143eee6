import { decide } from '../../src/decide/decision/decide.ts';
import { otherScenarios } from '../../src/statistics/other-scenarios.ts';
import { count, normal, spread } from './draw.js';
import { share } from './fixed.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */

const alpha = 0.05;
/** The variation of the log odds of base between scenarios. */
const VARIATION = 1;

/** @param {number} logit */
const rateOf = (logit) => 1 / (1 + Math.exp(-logit));

/**
 * The mean difference of all scenarios that could be drawn.
 * @param {number} middle
 * @param {number} effect
 * @param {number} sigma
 */
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

const NO_INTERVAL = { low: 1, high: -1 };

/** @param {boolean} passed @returns {import('../../src/decide/decision/paired-cells.ts').CellResult} */
const resultOf = (passed) => ({ outcome: passed ? 'pass' : 'fail', cost_usd: null, errors: 0 });

/** The most runs of a scenario on each side. */
const CAP = 12;

/**
 * `run --until-clear` of so many scenarios, each with one run on each side in a round.
 * @param {number} scenarios
 */
function sweepOf(scenarios) {
  const cells = Array.from({ length: scenarios }, (_, at) => `s${at}`).flatMap((scenario) =>
    ['base', 'head'].flatMap((variant) =>
      Array.from({ length: CAP }, (_, at) => ({
        id: `${scenario}/${variant}/${at + 1}`,
        scenario,
        agent: 'a',
        model: 'm',
        variant,
        repetition: at + 1,
      })),
    ),
  );
  /** @type {import('../../src/decide/decision/until-clear.ts').UntilClear} */
  const plan = {
    base: { kind: 'variant', variant: 'base' },
    margin: null,
    alpha,
    most_runs: CAP,
    round_size: scenarios,
  };
  return { cells, plan };
}

/** @type {Criterion[]} */
export const scenarios = [
  {
    what: '--until-clear: coverage of the interval for scenarios like these',
    bar: { atLeast: 0.93 },
    of: 'worst',
    cells: [0, -1].flatMap((effect) =>
      [0, 1].flatMap((sigma) =>
        [6, 12].map((drawn) => {
          const difference = truth(0, effect, sigma);
          const { cells, plan } = sweepOf(drawn);
          return {
            label: `${drawn} scenarios, log odds 0 ± ${VARIATION}, change ${effect} ± ${sigma}`,
            once: (/** @type {import('./draw.js').Random} */ random) => {
              const rates = Array.from({ length: drawn }, () => {
                const base = VARIATION * normal(random);
                return { base: rateOf(base), head: rateOf(base + effect + sigma * normal(random)) };
              });
              const results = new Map(
                cells.map(({ id, scenario, variant }) => {
                  const rate = rates[Number(scenario.slice(1))]?.[variant === 'base' ? 'base' : 'head'] ?? 0;
                  return [id, resultOf(random.chance(rate))];
                }),
              );
              const { low, high } = decide(cells, plan, results, 'completed').decision.other_scenarios ?? NO_INTERVAL;
              return share(low <= difference && difference <= high);
            },
          };
        }),
      ),
    ),
  },
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
