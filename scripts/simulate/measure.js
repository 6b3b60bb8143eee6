import { randomOf } from './draw.js';

/** @typedef {import('./criterion.js').Cell} Cell */
/** @typedef {import('./criterion.js').Criterion} Criterion */
/** An average and its standard error. @typedef {{ value: number, error: number }} Average */

/**
 * The worst of many situations looks worse than it is by chance: so many are measured again, with as many times the
 * simulations.
 */
const AGAIN = 4;

/** @param {Cell} cell @param {{ seed: string, simulations: number }} options @returns {Promise<Average>} */
async function average({ label, once }, { seed, simulations }) {
  let [sum, squares] = [0, 0];
  for (let index = 0; index < simulations; index++) {
    const value = await once(randomOf(seed, label, index));
    sum += value;
    squares += value ** 2;
  }
  const value = sum / simulations;
  return { value, error: Math.sqrt(Math.max(0, squares / simulations - value ** 2) / simulations) };
}

/** @param {readonly Cell[]} cells @param {{ seed: string, simulations: number }} options */
async function averages(cells, options) {
  const found = [];
  for (const cell of cells) found.push({ cell, ...(await average(cell, options)) });
  return found;
}

/** The number of simulations that the reached figures come from. */
const REACHED_WITH = 3000;

/**
 * Measures a criterion. Its worst situations are measured again, with other seeds and more simulations. A figure falls
 * short if it is more than two standard errors on the wrong side of a required bound, or three of a reached figure,
 * which has a standard error itself.
 * @param {Criterion} criterion @param {{ seed: string, simulations: number, tolerance?: number }} options
 */
export async function measure({ bar, of, cells }, { seed, simulations, tolerance = bar.isReached ? 3 : 2 }) {
  /** The distance by which a figure is on the wrong side. @param {number} value */
  const beyond = (value) => ('atMost' in bar ? value - bar.atMost : bar.atLeast - value);
  /** @param {Average & { label: string }} found */
  const judged = (found) => ({
    ...found,
    holds: beyond(found.value) <= tolerance * Math.hypot(found.error, errorOf(bar, found.error, simulations)),
  });
  // Where all are among the worst, the first measurement would decide nothing.
  const isWhole = of === 'worst' && cells.length <= AGAIN;
  const first = isWhole ? [] : await averages(cells, { seed, simulations });
  if (of === 'mean') {
    const value = first.reduce((sum, one) => sum + one.value, 0) / first.length;
    const error = Math.sqrt(first.reduce((sum, one) => sum + one.error ** 2, 0)) / first.length;
    return judged({ value, error, label: `mean of ${first.length}` });
  }
  /** @param {Average} a @param {Average} b */
  const worstFirst = (a, b) => beyond(b.value) - beyond(a.value);
  const worstCells = first.sort(worstFirst).map(({ cell }) => cell);
  const again = await averages(isWhole ? cells : worstCells.slice(0, AGAIN), {
    seed: `${seed} again`,
    simulations: AGAIN * simulations,
  });
  const [worst] = again.sort(worstFirst);
  return judged({ value: worst?.value ?? NaN, error: worst?.error ?? NaN, label: worst?.cell.label ?? '' });
}

/**
 * The standard error of a bar: 0 if it is a bound, else what it is with as many simulations as the figure was reached
 * with.
 * @param {import('./criterion.js').Bar} bar @param {number} error @param {number} simulations */
const errorOf = ({ isReached }, error, simulations) =>
  isReached ? error * Math.sqrt((AGAIN * simulations) / REACHED_WITH) : 0;
