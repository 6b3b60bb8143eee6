import { randomOf } from './draw.js';

/** @typedef {import('./criterion.js').Cell} Cell */
/** @typedef {import('./criterion.js').Criterion} Criterion */

/** The worst of many cells is worse than it is because of chance: so many are measured again. */
const AGAIN = 4;

/** @param {Cell} cell @param {{ seed: string, simulations: number }} options */
export function average({ label, once }, { seed, simulations }) {
  let sum = 0;
  for (let index = 0; index < simulations; index++) sum += once(randomOf(seed, label, index));
  return sum / simulations;
}

/** Measures a criterion. Its worst cells are measured again, with other seeds and more simulations.
 * @param {Criterion} criterion @param {{ seed: string, simulations: number }} options */
export function measure({ bar, of, cells }, { seed, simulations }) {
  const first = cells.map((cell) => ({ cell, value: average(cell, { seed, simulations }) }));
  if (of === 'mean')
    return {
      value: first.reduce((sum, { value }) => sum + value, 0) / first.length,
      label: `${first.length} situations`,
      cells: first,
    };
  const isWorse =
    'atMost' in bar
      ? (/** @type {number} */ a, /** @type {number} */ b) => b - a
      : (/** @type {number} */ a, /** @type {number} */ b) => a - b;
  const again = first
    .toSorted((a, b) => isWorse(a.value, b.value))
    .slice(0, AGAIN)
    .map(({ cell }) => ({
      cell,
      value: average(cell, { seed: `${seed} again`, simulations: AGAIN * simulations }),
    }))
    .toSorted((a, b) => isWorse(a.value, b.value));
  const [worst] = again;
  return { value: worst?.value ?? NaN, label: worst?.cell.label ?? '', cells: first };
}
