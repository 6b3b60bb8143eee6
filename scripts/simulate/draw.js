import { createRandom, seedOf } from '../fuzz/random.js';

/** @typedef {ReturnType<typeof createRandom>} Random */
/** @typedef {import('../../src/statistics/counts.ts').Stratum} Stratum */
/**
 * True pass rates of a configuration on both sides.
 * @typedef {{ base: number, head: number }} Rates
 */

/** A source of choices of its own for each simulation, so that one can be repeated alone.
 * @param {string} seed @param {string} cell @param {number} index */
export const randomOf = (seed, cell, index) => createRandom(seedOf(seed, cell, index));

/** @param {Random} random @param {number} rate @param {number} tested */
export function count(random, rate, tested) {
  let passed = 0;
  for (let run = 0; run < tested; run++) if (random.chance(rate)) passed += 1;
  return { passed, tested };
}

/** @param {Random} random @param {readonly Rates[]} rates @param {number} runs @returns {Stratum[]} */
export const strata = (random, rates, runs) =>
  rates.map(({ base, head }) => ({ base: count(random, base, runs), head: count(random, head, runs) }));

/** @param {Random} random */
export function normal(random) {
  const uniform = () => (random.below(2 ** 30) + 0.5) / 2 ** 30;
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Evenly spaced numbers; the middle if there is only one.
 * @param {number} low @param {number} high @param {number} length */
export const spread = (low, high, length) =>
  Array.from({ length }, (_, at) => (length === 1 ? (low + high) / 2 : low + ((high - low) * at) / (length - 1)));

/** @param {readonly number[]} base @param {number} [difference] @returns {Rates[]} */
export const ratesOf = (base, difference = 0) =>
  base.map((rate) => ({ base: rate, head: Math.min(1, Math.max(0, rate + difference)) }));

/** Five designs of pass rates. @type {Record<string, (length: number) => number[]>} */
export const DESIGNS = {
  'all 50 %': (length) => spread(0.5, 0.5, length),
  'all 90 %': (length) => spread(0.9, 0.9, length),
  '10 to 90 %': (length) => spread(0.1, 0.9, length),
  '2 and 98 %': (length) => spread(0, 1, length).map((at) => (at < 0.5 ? 0.02 : 0.98)),
  '25 to 65 %': (length) => spread(0.25, 0.65, length),
};
