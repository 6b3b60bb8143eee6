import { MAX_TRIES } from '../../src/decide/decision/paired-cells.ts';
import { decide } from '../../src/decide/decision/decide.ts';
import { share } from './fixed.js';
import { cellsOf } from './sequential.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */

const CONFIGURATIONS = 3;
const CAP = 12;
const CELLS = cellsOf(CONFIGURATIONS, CAP);
const PLAN = {
  base: { kind: /** @type {const} */ ('variant'), variant: 'base' },
  margin: null,
  alpha: 0.05,
  most_runs: CAP,
  round_size: CONFIGURATIONS,
};

/**
 * The probability that a run ends with an error, by its side and by how it would have ended otherwise.
 * @typedef {Record<'base' | 'head', { pass: number, fail: number }>} Errors
 */

/**
 * Simulates `run --until-clear` where runs end with errors, and are run again.
 * @param {Random} random @param {Record<'base' | 'head', number>} rates @param {Errors} errors
 */
export function untilClearWithErrors(random, rates, errors) {
  /** @returns {import('../../src/decide/decision/paired-cells.ts').CellResult} */
  const resultOf = (/** @type {'base' | 'head'} */ side) => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const outcome = random.chance(rates[side]) ? 'pass' : 'fail';
      if (!random.chance(errors[side][outcome])) return { outcome, cost_usd: null, errors: tries };
    }
    return { outcome: 'error', cost_usd: null, errors: MAX_TRIES };
  };
  const results = new Map(CELLS.map(({ id, variant }) => [id, resultOf(variant === 'base' ? 'base' : 'head')]));
  return decide(CELLS, PLAN, results, 'completed').decision;
}

const NEVER = { pass: 0, fail: 0 };
/** @type {Record<string, Errors>} */
const WAYS = {
  'half of the passes of head': { base: NEVER, head: { pass: 0.5, fail: 0 } },
  'a fifth of the failures of base': { base: { pass: 0, fail: 0.2 }, head: NEVER },
  'a third of the runs of head': { base: NEVER, head: { pass: 0.33, fail: 0.33 } },
  'a tenth of all runs': { base: { pass: 0.1, fail: 0.1 }, head: { pass: 0.1, fail: 0.1 } },
  'half of all passes': { base: { pass: 0.5, fail: 0 }, head: { pass: 0.5, fail: 0 } },
};

/** @type {Criterion[]} */
export const errors = [
  {
    what: 'sequential with errors that are run again: false "better" or "worse"',
    bar: { atMost: 0.05 },
    of: 'worst',
    cells: Object.entries(WAYS).map(([label, of]) => ({
      label,
      once: (/** @type {Random} */ random) => {
        const { verdict } = untilClearWithErrors(random, { base: 0.5, head: 0.5 }, of);
        return share(verdict === 'better' || verdict === 'worse');
      },
    })),
  },
  {
    what: 'sequential, a tenth of all runs are errors, 80 % against 30 %: power',
    bar: { atLeast: 0.79, isReached: true },
    of: 'worst',
    cells: [
      {
        label: 'K=3, cap 12 rounds',
        once: (random) => {
          const of = WAYS['a tenth of all runs'] ?? { base: NEVER, head: NEVER };
          return share(untilClearWithErrors(random, { base: 0.8, head: 0.3 }, of).verdict === 'worse');
        },
      },
    ],
  },
];
