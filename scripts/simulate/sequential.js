import { MAX_TRIES } from '../../src/decide/decision/paired-cells.ts';
import { replayRounds } from '../../src/decide/decision/replay-rounds.ts';
import { testDifference } from '../../src/statistics/test-difference.ts';
import { DESIGNS, ratesOf, spread, strata } from './draw.js';
import { share } from './fixed.js';
import { stopWithoutCap } from './without-cap.js';

/** @typedef {import('./criterion.js').Cell} Cell */
/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Rates} Rates */
/** @typedef {import('./draw.js').Random} Random */

const alpha = 0.05;
const ROUNDS = 20;

/**
 * The cells of a sweep, by configurations and pairs of each.
 * @type {Map<string, import('../../src/model/records/cell.ts').Cell[]>}
 */
const known = new Map();

/** @param {number} configurations @param {number} pairs */
export function cellsOf(configurations, pairs) {
  const key = `${configurations} ${pairs}`;
  const cells =
    known.get(key) ??
    Array.from({ length: configurations }, (_, at) => `s${at}`).flatMap((scenario) =>
      ['base', 'head'].flatMap((variant) =>
        Array.from({ length: pairs }, (_, index) => ({
          id: `${scenario}/${variant}/${index + 1}`,
          scenario,
          agent: 'a',
          model: 'm',
          variant,
          repetition: index + 1,
        })),
      ),
    );
  known.set(key, cells);
  return cells;
}

/**
 * Plays `run --until-clear`: the outcomes of all cells are drawn, and its rounds use those that they need.
 * @param {Random} random @param {readonly Rates[]} rates
 * @param {{ margin: number | null, rounds?: number, errors?: number }} options `rounds`: pairs of each configuration at
 *   the cap. `errors`: the probability that a run ends with an error, and is run again
 */
export function untilClear(random, rates, { margin, rounds = ROUNDS, errors = 0 }) {
  const cells = cellsOf(rates.length, rounds);
  const results = new Map(
    cells.map(({ id, scenario, variant }) => {
      const of = rates[Number(scenario.slice(1))] ?? { base: NaN, head: NaN };
      const decided = random.chance(variant === 'base' ? of.base : of.head) ? 'pass' : 'fail';
      let tries = 0;
      while (errors > 0 && tries < MAX_TRIES && random.chance(errors)) tries += 1;
      const outcome = /** @type {'pass' | 'fail' | 'error'} */ (tries === MAX_TRIES ? 'error' : decided);
      return [id, { outcome, cost_usd: null, errors: tries }];
    }),
  );
  const plan = {
    base: { kind: /** @type {const} */ ('variant'), variant: 'base' },
    margin,
    alpha,
    most_runs: rounds,
    round_size: rates.length,
  };
  const { last, verdict, released } = replayRounds(cells, plan, results);
  const side = (/** @type {string} */ scenario, /** @type {string} */ variant) => {
    const own = cells.filter((cell) => cell.scenario === scenario && cell.variant === variant);
    return {
      passed: own.filter(({ id }) => results.get(id)?.outcome === 'pass').length,
      tested: own.length,
    };
  };
  return {
    // Null: it depends on what errors have hidden.
    verdict: verdict === null ? 'not tested' : last.verdict,
    /** In rounds of one pair of each configuration. */
    rounds: released.length / (2 * rates.length),
    information: released.length / cells.length,
    /** The runs that a fixed test of all would have been given. */
    whole: () => rates.map((_, at) => ({ base: side(`s${at}`, 'base'), head: side(`s${at}`, 'head') })),
  };
}

/** @param {{ verdict: string }} decided */
const isShown = ({ verdict }) => verdict === 'better' || verdict === 'worse';

const UNCHANGED = Object.entries(DESIGNS).flatMap(([name, design]) =>
  [1, 3, 5, 10].map((configurations) => ({
    label: `${name}, K=${configurations}`,
    rates: ratesOf(design(configurations)),
  })),
);
/** Pass rates of base. Those that would fall below 0 fall to 0. */
const BASE = spread(0.25, 0.65, 5);
const HIGH = spread(0.85, 0.85, 5);
/** More of them, because power depends on the pass rates. */
const BASES = {
  '25 to 65 %': BASE,
  '45 to 85 %': spread(0.45, 0.85, 5),
  '55 to 85 %': spread(0.55, 0.85, 5),
  '50 to 90 %': spread(0.5, 0.9, 5),
  '85 %': HIGH,
};

/** @param {Random} random @param {readonly Rates[]} rates */
const isFoundFixed = (random, rates) => testDifference(strata(random, rates, ROUNDS), { alpha }).verdict === 'worse';

/** @param {Random} random @param {readonly Rates[]} rates */
const isFound = (random, rates) => untilClear(random, rates, { margin: null }).verdict === 'worse';

/**
 * @param {string} what @param {import('./criterion.js').Bar} bar
 * @param {(random: Random) => number} once
 * @param {string} [label] @returns {Criterion}
 */
const single = (what, bar, once, label = '25 to 65 %') => ({
  what,
  bar,
  of: 'worst',
  cells: [{ label, once }],
});

/** @param {Random} random @param {readonly Rates[]} rates */
const rounds = (random, rates) => untilClear(random, rates, { margin: null }).rounds;

/** @param {number} points */
const sequentialBy = (points) => `sequential, K=5, cap 20 rounds, ${points} points:`;

/**
 * The same runs, looked at after each round and only after the last.
 * @param {readonly number[]} base
 * @returns {Cell['once']}
 */
const lostPower = (base) => (random) => {
  const { verdict, whole } = untilClear(random, ratesOf(base, -0.2), { margin: null });
  return share(testDifference(whole(), { alpha }).verdict === 'worse') - share(verdict === 'worse');
};

/**
 * Power and paid pairs that the design reached, with a cap of 20 pairs of each configuration. Each holds for the
 * opposite change, too.
 * @type {[configurations: number, from: number, to: number, power: number, pairs: number][]}
 */
const PAID = [
  [1, 1, 0, 1, 3],
  [1, 0.9, 0.5, 0.75, 14.5],
  [2, 1, 0, 1, 4],
  [2, 0.9, 0.5, 0.965, 21.6],
  [2, 0.6, 0.4, 0.345, 35.7],
  [5, 1, 0, 1, 5],
  [5, 0.6, 0.4, 0.755, 72.7],
  [10, 0.6, 0.4, 0.965, 102.2],
  [10, 0.9, 0.7, 0.998, 77.9],
];
const paid = PAID.flatMap(([configurations, from, to, power, pairs]) => {
  const cells = (/** @type {(found: ReturnType<typeof untilClear>, sign: number) => number} */ of) =>
    [
      [from, to],
      [to, from],
    ].map(([base = NaN, head = NaN]) => {
      const rates = Array.from({ length: configurations }, () => ({ base, head }));
      return {
        label: `K=${configurations}, ${100 * base} -> ${100 * head} %`,
        once: (/** @type {Random} */ random) => of(untilClear(random, rates, { margin: null }), head - base),
      };
    });
  const what = `sequential, K=${configurations}, ${100 * from} and ${100 * to} %, in both directions:`;
  return /** @type {Criterion[]} */ ([
    {
      what: `${what} power`,
      bar: { atLeast: power, isReached: true },
      of: 'worst',
      cells: cells(({ verdict }, sign) => share(verdict === (sign > 0 ? 'better' : 'worse'))),
    },
    {
      what: `${what} pairs`,
      bar: { atMost: pairs, isReached: true },
      of: 'worst',
      cells: cells((found) => configurations * found.rounds),
    },
  ]);
});

/** Without a cap, a sweep without a difference would run until it finds one by chance. So far it is followed. */
const LONG = 100;

/** @param {Random} random @param {readonly Rates[]} rates @param {number} most */
const stopWithout = (random, rates, most) =>
  stopWithoutCap(
    Array.from({ length: most }, () => strata(random, rates, 1)),
    { alpha },
  );

/** @type {Criterion[]} */
export const sequential = [
  {
    what: 'sequential: type I error',
    bar: { atMost: 0.05 },
    of: 'worst',
    cells: UNCHANGED.map(({ label, rates }) => ({
      label,
      once: (random) => share(isShown(untilClear(random, rates, { margin: null }))),
    })),
  },
  {
    what: 'sequential: false "not worse"',
    bar: { atMost: 0.03 },
    of: 'worst',
    cells: [0.1, 0.2].flatMap((margin) =>
      [1, 3, 5].flatMap((configurations) =>
        [0.4, 0.6, 0.85, 0.95].map((base) => ({
          label: `${base * 100} %, K=${configurations}, ${-margin * 100} points`,
          once: (/** @type {Random} */ random) => {
            const rates = ratesOf(spread(base, base, configurations), -margin);
            const { verdict } = untilClear(random, rates, { margin });
            return share(verdict === 'not worse' || verdict === 'equivalent');
          },
        })),
      ),
    ),
  },
  ...Object.entries(BASES).flatMap(([label, base]) => [
    single(
      `fixed, K=5, n=20, -20 points: power, base ${label}`,
      { atLeast: 0.8 },
      (random) => share(isFoundFixed(random, ratesOf(base, -0.2))),
      label,
    ),
    single(
      `${sequentialBy(-20)} power, base ${label}`,
      { atLeast: label === '25 to 65 %' ? 0.83 : 0.79, isReached: true },
      (random) => share(isFound(random, ratesOf(base, -0.2))),
      label,
    ),
    single(
      `${sequentialBy(-20)} rounds, base ${label}`,
      // Elsewhere, at least a quarter is to be saved.
      label === '25 to 65 %' ? { atMost: 13.5, isReached: true } : { atMost: 15 },
      (random) => rounds(random, ratesOf(base, -0.2)),
      label,
    ),
  ]),
  {
    what: 'power that the looks cost, K=5, 20 rounds, -20 points',
    bar: { atMost: 0.055, isReached: true },
    of: 'worst',
    cells: Object.entries(BASES).map(([label, base]) => ({ label: `base ${label}`, once: lostPower(base) })),
  },
  single(`${sequentialBy(-30)} power`, { atLeast: 0.997, isReached: true }, (random) =>
    share(isFound(random, ratesOf(BASE, -0.3))),
  ),
  single(`${sequentialBy(-30)} rounds`, { atMost: 8.7, isReached: true }, (random) =>
    rounds(random, ratesOf(BASE, -0.3)),
  ),
  single(
    'no change, base 85 %, "not worse by 20": decided so',
    // Given as 96 %.
    { atLeast: 0.955, isReached: true },
    (random) => {
      const { verdict } = untilClear(random, ratesOf(HIGH), { margin: 0.2 });
      return share(verdict === 'not worse' || verdict === 'equivalent');
    },
    'K=5',
  ),
  single(
    'no change, base 85 %, "not worse by 20": rounds',
    { atMost: 11.4, isReached: true },
    (random) => untilClear(random, ratesOf(HIGH), { margin: 0.2 }).rounds,
    'K=5',
  ),
  {
    what: `a test without a cap: type I error in ${LONG} rounds`,
    bar: { atMost: 0.05 },
    of: 'worst',
    cells: UNCHANGED.map(({ label, rates }) => ({
      label,
      once: (random) => share(stopWithout(random, rates, LONG) !== null),
    })),
  },
  single('a test without a cap, K=5, -20 points: found within 20 rounds', { atMost: 0.75 }, (random) =>
    share(stopWithout(random, ratesOf(BASE, -0.2), ROUNDS) !== null),
  ),
  single(
    'a test without a cap, K=5, -20 points: rounds',
    { atMost: 20 },
    (random) => stopWithout(random, ratesOf(BASE, -0.2), LONG) ?? LONG,
  ),
  single(
    `sequential, K=5, cap ${LONG} rounds, -20 points: rounds`,
    { atMost: 24 },
    (random) => untilClear(random, ratesOf(BASE, -0.2), { margin: null, rounds: LONG }).rounds,
  ),
  ...paid,
];
