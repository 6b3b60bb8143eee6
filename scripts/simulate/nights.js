import { lossesAfter } from '../../src/results/schedules/follow-schedule.ts';
import { count, normal, spread } from './draw.js';

/** @typedef {import('./draw.js').Random} Random */
/** @typedef {import('../../src/results/schedules/night.ts').Night} Night */
/**
 * `rates`: of the scenarios on the first night. `change`: by how much they have changed on a night, from 0 on. `sd`: by how much the
 * log-odds of a night deviate, for all of its scenarios.
 * @typedef {{ rates: number[], runs: number, nights: number, sd: number, change?: (night: number) => number }} Series
 */

const NIGHTS = 22;
const FALL_ON = 8;

/** @param {Random} random @param {Series} series @returns {Night[]} */
function draw(random, { rates, runs, nights, sd, change = () => 0 }) {
  return Array.from({ length: nights }, (_, night) => {
    const deviation = sd * normal(random);
    return {
      sweep: `n${night}`,
      at: '',
      counts: rates.map((rate, scenario) => {
        const now = Math.min(0.999, Math.max(0.001, rate + change(night)));
        const odds = Math.log(now / (1 - now)) + deviation;
        return {
          ...{ scenario: `s${scenario}`, agent: 'a', model: 'm', variant: 'default', untested: 0 },
          ...count(random, 1 / (1 + Math.exp(-odds)), runs),
          ...{ cost_usd: null, duration_secs: null },
        };
      }),
    };
  });
}

/** @param {(number | null)[]} states */
const alarms = (states) =>
  states.filter((state, at) => state !== null && (states[at - 1] ?? null) === null).length;

/** @type {Record<string, Series>} */
const UNCHANGED = {
  'K=5, n=5, 50 to 90 %': { rates: spread(0.5, 0.9, 5), runs: 5, nights: NIGHTS, sd: 0.3 },
  'K=1, n=6, 50 %': { rates: [0.5], runs: 6, nights: NIGHTS, sd: 0.3 },
  'K=1, n=6, 90 %': { rates: [0.9], runs: 6, nights: NIGHTS, sd: 0.3 },
  'K=5, n=5, nights do not differ': { rates: spread(0.5, 0.9, 5), runs: 5, nights: NIGHTS, sd: 0 },
  'K=5, n=5, deviations of 0.4': { rates: spread(0.5, 0.9, 5), runs: 5, nights: NIGHTS, sd: 0.4 },
};
/** @param {number} night */
const fall = (night) => (night >= FALL_ON - 1 ? -0.2 : 0);
/** @type {Record<string, Series>} */
const FALLEN = {
  'K=5, n=10': { rates: spread(0.5, 0.9, 5), runs: 10, nights: NIGHTS, sd: 0.3, change: fall },
};
/** @type {Record<string, Series>} */
const DRIFT = {
  'K=5, n=5': {
    ...{ rates: spread(0.5, 0.9, 5), runs: 5, nights: NIGHTS, sd: 0.3 },
    change: (night) => -0.02 * night,
  },
};

/** @param {Record<string, Series>} all @param {(states: (number | null)[]) => number} value */
const cellsOf = (all, value) =>
  Object.entries(all).map(([label, series]) => ({
    label,
    once: (/** @type {Random} */ random) => value(lossesAfter(draw(random, series))),
  }));

/** @type {import('./criterion.js').Criterion[]} */
export const nights = [
  {
    what: 'nights: false alarms of 100 nights, nothing has changed',
    bar: { atMost: 1 },
    of: 'worst',
    cells: cellsOf(UNCHANGED, (states) => (100 * alarms(states)) / states.length),
  },
  {
    what: 'nights: a fall of 20 points on night 8 of 22 is found',
    bar: { atLeast: 0.95 },
    of: 'worst',
    cells: cellsOf(FALLEN, (states) => (states.slice(FALL_ON - 1).some((state) => state !== null) ? 1 : 0)),
  },
  {
    what: 'nights: a fall of 20 points on night 8 of 22, red on the last',
    bar: { atLeast: 0.92, isReached: true },
    of: 'worst',
    cells: cellsOf(FALLEN, (states) => (states.at(-1) === null ? 0 : 1)),
  },
  {
    what: 'nights: 2 points less a night, found and red on night 22',
    bar: { atLeast: 0.95 },
    of: 'worst',
    cells: cellsOf(DRIFT, (states) => (states.at(-1) === null ? 0 : 1)),
  },
];
