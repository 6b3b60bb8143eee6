import { lossesAfter } from '../../src/decide/schedules/follow-schedule.ts';
import { countsOf } from '../../src/decide/schedules/night.ts';
import { normal, spread } from './draw.js';
import { share } from './fixed.js';
import { reportedLosses } from './scheduled.js';
import { sweepOf } from './sweeps.js';

/** @typedef {import('./draw.js').Random} Random */
/** @typedef {import('../../src/decide/schedules/night.ts').Night} Night */
/**
 * `rates`: of the scenarios on the first night. `change`: by how much they have changed on a night, from 0 on. `sd`: by
 * how much the log-odds of a night deviate, for all of its scenarios. `errors`: how likely a run is to end with an
 * error, by how it would have ended.
 * @typedef {{ pass: number, fail: number }} Errors
 * @typedef {{ rates: number[], runs: number, nights: number, sd: number, change?: (night: number) => number, errors?:
 *   (night: number) => Errors, again?: 'retry' | 'reuse' }} Series `again`: runs that end with errors are run again in
 *   their sweep, or in another one that reuses the results of the others
 */

const NIGHTS = 22;
const FALL_ON = 8;

const NEVER = { pass: 0, fail: 0 };

/** @param {Random} random @param {Series} series @returns {Night[]} */
function draw(random, { rates, runs, nights, sd, change = () => 0, errors = () => NEVER, again }) {
  return Array.from({ length: nights }, (_, night) => {
    const deviation = sd * normal(random);
    const sweep = `n${night}`;
    const ratesNow = rates.map((rate) => {
      const now = Math.min(0.999, Math.max(0.001, rate + change(night)));
      return 1 / (1 + Math.exp(-Math.log(now / (1 - now)) - deviation));
    });
    const counts =
      again === undefined
        ? ratesNow.map((rate, scenario) => ({
            scenario: `s${scenario}`,
            agent: 'a',
            model: 'm',
            variant: 'default',
            ...countWithErrors(random, rate, runs, errors(night)),
            cost_usd: null,
            duration_secs: null,
          }))
        : countsOf(withRunsAgain(random, sweep, { rates: ratesNow, runs, errors: errors(night), again }), new Set());
    return { sweep, at: '', counts };
  });
}

/**
 * The results of a night as they lie on disk, if runs that ended with errors were run again until none was left.
 * @param {Random} random @param {string} sweep
 * @param {{ rates: readonly number[], runs: number, errors: Errors, again: 'retry' | 'reuse' }} night
 */
function withRunsAgain(random, sweep, { rates, runs, errors, again }) {
  const all = rates.flatMap((rate, at) =>
    Array.from({ length: runs }, () => {
      for (let before = 0; ; before++) {
        const passes = random.chance(rate);
        if (!random.chance(errors[passes ? 'pass' : 'fail'])) return { scenario: `s${at}`, passes, before };
      }
    }),
  );
  const found = sweepOf(sweep, all);
  const lines = found.lines.flatMap((line, at) => {
    const before = all[at]?.before ?? 0;
    const failed = Array.from({ length: before }, (_, run) => ({
      ...line,
      id: `${line.id}-${run}`,
      outcome: /** @type {const} */ ('error'),
    }));
    if (again === 'retry') return [...failed, line];
    return [before > 0 ? { ...line, errors_before: before } : { ...line, cached_from: `first-${line.id}` }];
  });
  return { ...found, lines };
}

/** @param {Random} random @param {number} rate @param {number} runs @param {Errors} errors */
function countWithErrors(random, rate, runs, errors) {
  const counts = { passed: 0, tested: 0, untested: 0 };
  for (let run = 0; run < runs; run++) {
    const outcome = random.chance(rate) ? 'pass' : 'fail';
    if (errors[outcome] > 0 && random.chance(errors[outcome])) counts.untested += 1;
    else {
      counts.tested += 1;
      if (outcome === 'pass') counts.passed += 1;
    }
  }
  return counts;
}

/** @param {(number | null)[]} states */
const alarms = (states) => states.filter((state, at) => state !== null && (states[at - 1] ?? null) === null).length;

/** @type {Series} */
const FIVE = { rates: spread(0.5, 0.9, 5), runs: 5, nights: NIGHTS, sd: 0.3 };
/** @param {(number | null)[]} states */
const isFound = (states) => share(states.slice(FALL_ON - 1).some((state) => state !== null));

/** @type {Record<string, Series>} */
const UNCHANGED = {
  'K=5, n=5, 50 to 90 %': FIVE,
  'K=1, n=6, 50 %': { ...FIVE, rates: [0.5], runs: 6 },
  'K=1, n=6, 90 %': { ...FIVE, rates: [0.9], runs: 6 },
  'K=5, n=5, nights do not differ': { ...FIVE, sd: 0 },
  'K=5, n=5, deviations of 0.4': { ...FIVE, sd: 0.4 },
};
/** @param {number} night */
const fall = (night) => (night >= FALL_ON - 1 ? -0.2 : 0);
/** @type {Record<string, Series>} */
const FALLEN = { 'K=5, n=10': { ...FIVE, runs: 10, change: fall } };
/** Errors that are as frequent on all nights. @param {number} pass @param {number} fail */
const always = (pass, fail) => () => ({ pass, fail });
/** Since the night of the fall. @param {number} pass @param {number} fail */
const since = (pass, fail) => (/** @type {number} */ night) => (night >= FALL_ON - 1 ? { pass, fail } : NEVER);
/** @type {Record<string, Series>} */
const UNCHANGED_WITH_ERRORS = {
  'K=5, n=5, 10 % of runs': { ...FIVE, errors: always(0.1, 0.1) },
  'K=5, n=5, 30 % of runs': { ...FIVE, errors: always(0.3, 0.3) },
  'K=5, n=5, half of the failures': { ...FIVE, errors: always(0, 0.5) },
  'K=5, n=5, half of the failures until night 7': {
    ...FIVE,
    errors: (night) => (night >= FALL_ON - 1 ? NEVER : { pass: 0, fail: 0.5 }),
  },
  'K=5, n=5, 30 % of the passes from night 8 on': { ...FIVE, errors: since(0.3, 0) },
};
/** @type {Record<string, Series>} */
const FALLEN_WITH_ERRORS = {
  'K=5, n=10, 10 % of runs': { ...FIVE, runs: 10, change: fall, errors: always(0.1, 0.1) },
  'K=5, n=10, 20 % of the failures': { ...FIVE, runs: 10, change: fall, errors: always(0, 0.2) },
};
/** @type {Record<string, Series>} */
const FALLEN_INTO_ERRORS = {
  'K=5, n=10, 20 % of the failures from night 8 on': {
    ...FIVE,
    runs: 10,
    change: fall,
    errors: since(0, 0.2),
  },
};
/** @type {Record<string, Series>} */
const DRIFT = { 'K=5, n=5': { ...FIVE, change: (night) => -0.02 * night } };

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
    isSlow: true, // the next one simulates the same nights, and needs nearly as many of them
    cells: cellsOf(FALLEN, isFound),
  },
  {
    what: 'nights: a fall of 20 points on night 8 of 22, red on the last',
    bar: { atLeast: 0.92, isReached: true },
    of: 'worst',
    cells: cellsOf(FALLEN, (states) => share(states.at(-1) !== null)),
  },
  {
    what: 'nights: 2 points less a night, found and red on night 22',
    bar: { atLeast: 0.95 },
    of: 'worst',
    cells: cellsOf(DRIFT, (states) => share(states.at(-1) !== null)),
  },
  {
    what: 'nights with errors: false alarms of 100 nights, nothing has changed',
    bar: { atMost: 1 },
    of: 'worst',
    isSlow: true,
    cells: cellsOf(UNCHANGED_WITH_ERRORS, (states) => (100 * alarms(states)) / states.length),
  },
  {
    what: 'nights with errors that are run again, or in sweeps that reuse results: false alarms of 100 nights',
    bar: { atMost: 1 },
    of: 'worst',
    isSlow: true,
    cells: /** @type {const} */ (['retry', 'reuse']).flatMap((again) =>
      cellsOf(
        Object.fromEntries(
          Object.entries(UNCHANGED_WITH_ERRORS).map(([label, series]) => [`${label}, ${again}`, { ...series, again }]),
        ),
        (states) => (100 * alarms(states)) / states.length,
      ),
    ),
  },
  {
    what: 'nights with errors: a fall of 20 points on night 8 of 22 is found',
    bar: { atLeast: 0.83, isReached: true },
    of: 'worst',
    isSlow: true,
    cells: cellsOf(FALLEN_WITH_ERRORS, isFound),
  },
  {
    what: 'nights with errors only since the fall of 20 points: it is found',
    bar: { atLeast: 0.43, isReached: true },
    of: 'worst',
    isSlow: true,
    cells: cellsOf(FALLEN_INTO_ERRORS, isFound),
  },
];

/**
 * The same nights reported from results on disk, which takes a hundred times as long.
 * @type {import('./criterion.js').Criterion[]}
 */
export const scheduled = [
  {
    what: 'nights from results on disk: series that are not reported as simulated',
    bar: { atMost: 0 },
    of: 'worst',
    isSlow: true,
    cells: Object.entries({
      ...UNCHANGED,
      ...UNCHANGED_WITH_ERRORS,
      ...DRIFT,
      ...FALLEN,
      ...FALLEN_WITH_ERRORS,
      ...FALLEN_INTO_ERRORS,
    }).map(([label, series]) => ({
      label,
      once: async (random) => {
        const drawn = draw(random, series);
        return share(JSON.stringify(await reportedLosses(drawn)) !== JSON.stringify(lossesAfter(drawn)));
      },
    })),
  },
];
