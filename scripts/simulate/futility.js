import { conditionalPower, futileAfter } from '../../src/statistics/needed-runs.ts';
import { look } from '../../src/statistics/look.ts';
import { ratesOf, spread, strata } from './draw.js';
import { share } from './fixed.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */

const EFFECT = 0.2;
const ROUNDS = 20;
const alpha = 0.05;

/** Pass rates of base, K=5. */
const BASES = {
  '25 %': spread(0.25, 0.25, 5),
  '70 %': spread(0.7, 0.7, 5),
  '25 to 65 %': spread(0.25, 0.65, 5),
  '50 to 90 %': spread(0.5, 0.9, 5),
  '85 %': spread(0.85, 0.85, 5),
};

/**
 * `run --until-clear --effect 20`, and the same runs without `--effect`.
 * @param {Random} random @param {readonly number[]} base @param {number} difference
 */
function both(random, base, difference) {
  const rates = ratesOf(base, difference);
  const rounds = Array.from({ length: ROUNDS }, () => strata(random, rates, 1));
  const most = ROUNDS * rates.length;
  const without = look(rounds, { alpha, margin: null, most });
  const powerAfter = (/** @type {number} */ end) =>
    conditionalPower(rounds.slice(0, end), { effect: EFFECT, alpha, most });
  const futile = futileAfter(ROUNDS, powerAfter) ?? Infinity;
  const isGivenUp = futile < without.rounds;
  return {
    without,
    rounds: Math.min(futile, without.rounds),
    lost: share(isGivenUp && without.verdict !== 'undecided'),
    found: share(!isGivenUp && without.verdict !== 'undecided'),
  };
}

/**
 * @param {string} what @param {import('./criterion.js').Bar} bar @param {readonly number[]} differences
 * @param {(result: ReturnType<typeof both>) => number} of @returns {Criterion}
 */
const worst = (what, bar, differences, of) => ({
  what: `--effect 20, K=5, cap 20 rounds, ${what}`,
  bar,
  of: 'worst',
  cells: Object.entries(BASES).flatMap(([label, base]) =>
    differences.map((difference) => ({
      label: `${label}, ${100 * difference} points`,
      once: (/** @type {Random} */ random) => of(both(random, base, difference)),
    })),
  ),
});

/** @type {Criterion[]} */
export const futility = [
  worst('no change: rounds', { atMost: 0.7 * ROUNDS }, [0], ({ rounds }) => rounds),
  worst('no change: false "better" or "worse"', { atMost: 0.05 }, [0], ({ found }) => found),
  worst('a change of 20 points: lost power', { atMost: 0.02 }, [-EFFECT, EFFECT], ({ lost }) => lost),
];
