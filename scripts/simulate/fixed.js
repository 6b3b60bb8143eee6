import { testDifference } from '../../src/statistics/test-difference.ts';
import { neededRuns } from '../../src/statistics/needed-runs.ts';
import { total } from '../../src/statistics/look.ts';
import { notWorse } from '../../src/statistics/miettinen-nurminen.ts';
import { DESIGNS, ratesOf, spread, strata } from './draw.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./criterion.js').Cell} Cell */

const ALPHA = 0.05;
const RUNS = [3, 5, 10, 20, 50];
const CONFIGURATIONS = [1, 2, 3, 5, 10, 20];

/** @param {boolean} is */
export const share = (is) => (is ? 1 : 0);

/** @param {import('./draw.js').Stratum[]} sample */
const isShown = (sample) => ['better', 'worse'].includes(testDifference(sample, { alpha: ALPHA }).verdict);

/** @template T @param {readonly T[]} list @param {(one: T) => Cell[]} of */
const each = (list, of) => list.flatMap(of);

/** @param {string} name @param {number} runs @param {number} configurations @param {number} difference */
const label = (name, runs, configurations, difference) =>
  `${name}, K=${configurations}, n=${runs}${difference === 0 ? '' : `, ${Math.round(difference * 100)} points`}`;

/** The pass rates of base are drawn from 25 to 65 %.
 * @param {number} runs @param {number} configurations @param {number} difference @returns {Cell} */
const powerOf = (runs, configurations, difference) => ({
  label: label('25 to 65 %', runs, configurations, difference),
  once: (random) => {
    const base = Array.from({ length: configurations }, () => 0.25 + random.below(401) / 1000);
    return share(isShown(strata(random, ratesOf(base, difference), runs)));
  },
});

/**
 * @param {number} runs
 * @param {number} configurations
 * @param {number} difference
 * @param {number} atLeast
 * @returns {Criterion}
 */
const power = (runs, configurations, difference, atLeast) => ({
  what: `power: n=${runs}, K=${configurations}, +${difference * 100} points`,
  bar: { atLeast, isReached: true },
  of: 'worst',
  cells: [powerOf(runs, configurations, difference)],
});

/** Differences of the strata are not alike, and their mean is `difference`.
 * @param {readonly number[]} base @param {number} difference */
const uneven = (base, difference) =>
  base.map((rate, at) => {
    const by = base.length % 2 === 1 && at === base.length - 1 ? 1 : at % 2 === 0 ? 1.5 : 0.5;
    return { base: rate, head: rate + by * difference };
  });

/**
 * Pass rates that a difference of up to 40 points leaves between 0 and 1.
 * @type {Record<string, (length: number) => number[]>}
 */
const BASES = {
  '10 to 40 %': (length) => spread(0.1, 0.4, length),
  'all 30 %': (length) => spread(0.3, 0.3, length),
  'all 5 %': (length) => spread(0.05, 0.05, length),
  'all 2 %': (length) => spread(0.02, 0.02, length),
};

/** @returns {Cell[]} */
const coverage = () =>
  each(Object.entries(BASES), ([name, base]) =>
    each([0.1, 0.3], (difference) =>
      each([1, 2, 5, 10], (configurations) =>
        each(RUNS, (runs) => {
          const rates = uneven(base(configurations), difference);
          const truth = rates.reduce((sum, rate) => sum + rate.head - rate.base, 0) / rates.length;
          return [
            {
              label: label(name, runs, configurations, difference),
              once: (random) => {
                const { interval } = testDifference(strata(random, rates, runs), { alpha: ALPHA });
                return share(interval !== null && interval.low <= truth && truth <= interval.high);
              },
            },
          ];
        }),
      ),
    ),
  );

/** Ranges of pass rates that rise, and of those that fall. @type {[low: number, high: number][]} */
const RISING = [
  [0.25, 0.65],
  [0.4, 0.6],
  [0.55, 0.65],
];
/** @type {[low: number, high: number][]} */
const FALLING = [
  [0.55, 0.85],
  [0.85, 0.95],
  [0.9, 0.9],
  [0.95, 0.95],
];

/**
 * Needed runs are estimated from few runs, as people do; then so many are made.
 * @param {readonly [low: number, high: number][]} ranges @param {number} sign @returns {Cell[]}
 */
const powerAtNeeded = (ranges, sign) =>
  each([0.2 * sign, 0.3 * sign], (difference) =>
    each([1, 3, 10], (configurations) =>
      each([5, 10], (pilot) =>
        each(ranges, ([low = 0, high = 0]) => {
          const rates = ratesOf(spread(low, high, configurations), difference);
          return [
            {
              label: `${Math.round(low * 100)} to ${Math.round(high * 100)} %, K=${configurations}, ${pilot} runs so far, ${difference * 100} points`,
              once: (random) => {
                const further = neededRuns(strata(random, rates, pilot), {
                  difference,
                  alpha: ALPHA,
                  power: 0.8,
                });
                return share(isShown(strata(random, rates, pilot + (further ?? 0))));
              },
            },
          ];
        }),
      ),
    ),
  );

/** @param {boolean} isSmall whether one configuration with at most 20 runs is meant, or all others */
const falseNotWorse = (isSmall) =>
  each([0.1, 0.2], (margin) =>
    each([0.4, 0.6, 0.85, 0.95], (base) =>
      each(CONFIGURATIONS, (configurations) =>
        each([5, 10, 20, 50], (runs) =>
          isSmall !== (configurations === 1 && runs <= 20)
            ? []
            : [
                {
                  label: label(`${base * 100} %`, runs, configurations, -margin),
                  once: (random) =>
                    share(
                      notWorse(strata(random, ratesOf(spread(base, base, configurations), -margin), runs), {
                        margin,
                        alpha: ALPHA,
                      }).holds,
                    ),
                },
              ],
        ),
      ),
    ),
  );

/** Looks again and again, as people do: does any look find a difference where there is none? @returns {Cell[]} */
const peeking = () =>
  each(Object.entries(DESIGNS), ([name, design]) =>
    each([1, 3, 10], (configurations) => [
      {
        label: `${name}, K=${configurations}`,
        once: (random) => {
          const rates = ratesOf(design(configurations));
          /** @type {import('./draw.js').Stratum[][]} */
          const parts = LOOKS.map((runs, at) => strata(random, rates, runs - (LOOKS[at - 1] ?? 0)));
          return share(LOOKS.some((_, at) => isShown(total(parts.slice(0, at + 1)))));
        },
      },
    ]),
  );

/** After how many runs. */
const LOOKS = [3, 5, 10, 20, 40];

/** @type {Criterion[]} */
export const fixed = [
  {
    what: 'type I error of the verdict',
    bar: { atMost: 0.06 },
    of: 'worst',
    cells: each(Object.entries(DESIGNS), ([name, design]) =>
      each(CONFIGURATIONS, (configurations) =>
        each(RUNS, (runs) => [
          {
            label: label(name, runs, configurations, 0),
            once: (random) => share(isShown(strata(random, ratesOf(design(configurations)), runs))),
          },
        ]),
      ),
    ),
  },
  {
    what: 'a difference found by looking after 3, 5, 10, 20 and 40 runs, without one',
    // The documentation warns of this.
    bar: { atMost: 0.2 },
    of: 'worst',
    cells: peeking(),
  },
  power(5, 5, 0.2, 0.3),
  power(10, 1, 0.3, 0.25),
  power(10, 3, 0.2, 0.35),
  power(3, 5, 0.3, 0.39),
  { what: 'coverage of the interval', bar: { atLeast: 0.93 }, of: 'worst', cells: coverage() },
  { what: 'coverage of the interval', bar: { atLeast: 0.945 }, of: 'mean', cells: coverage() },
  {
    what: 'power at the needed runs',
    bar: { atLeast: 0.8 },
    of: 'worst',
    cells: powerAtNeeded(RISING, 1),
  },
  {
    what: 'power at the needed runs, most runs pass',
    bar: { atLeast: 0.8 },
    of: 'worst',
    cells: powerAtNeeded(FALLING, -1),
  },
  { what: 'false "not worse"', bar: { atMost: 0.065 }, of: 'worst', cells: falseNotWorse(false) },
  { what: 'false "not worse", K=1, n<=20', bar: { atMost: 0.075 }, of: 'worst', cells: falseNotWorse(true) },
];
