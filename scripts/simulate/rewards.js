import { decide } from '../../src/decide/decision/decide.ts';
import { MAX_TRIES } from '../../src/decide/decision/paired-cells.ts';
import { share } from './fixed.js';
import { cellsOf } from './sequential.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */
/** @typedef {(random: Random) => number} Reward */

const CAP = 20;

/** A number from 0 to 1. @param {Random} random */
const uniform = (random) => random.below(2 ** 30) / 2 ** 30;

/** Distributions of rewards with a given mean. @type {Record<string, (mean: number) => Reward>} */
const KINDS = {
  '0 or 1': (mean) => (random) => share(random.chance(mean)),
  fifths: (mean) => (random) =>
    Array.from({ length: 5 }, () => share(random.chance(mean))).reduce(
      (/** @type {number} */ sum, one) => sum + one,
      0,
    ) / 5,
  'near the mean': (mean) => (random) =>
    mean + (Math.min(mean, 1 - mean, 0.3) / 2) * (uniform(random) + uniform(random) - 1) * 2,
};

/** Rewards of both sides with the same mean and different distributions. @type {Record<string, [Reward, Reward]>} */
const UNEQUAL = {
  'always 0.5, or 0 or 1': [() => 0.5, (random) => share(random.chance(0.5))],
  'always 0.5, or 1 in 5 % of runs and 0.474': [() => 0.5, (random) => (random.chance(0.05) ? 1 : 0.45 / 0.95)],
  'always 0.1, or 1 in 10 % of runs': [() => 0.1, (random) => share(random.chance(0.1))],
};

/**
 * Plays `run --until-clear --measure reward` through `decide`.
 * @param {Random} random @param {readonly [base: Reward, head: Reward][]} sides by configuration
 * @param {{ margin?: number, cap?: number, effect?: number, errors?: (reward: number, variant: string) => number }}
 *   options `errors`: the probability that a run ends with an error, by what it would have shown
 */
function untilClear(random, sides, { margin, cap = CAP, effect, errors } = {}) {
  const cells = cellsOf(sides.length, cap);
  const results = new Map(
    cells.map(({ id, scenario, variant }) => {
      const of = sides[Number(scenario.slice(1))]?.[variant === 'base' ? 0 : 1] ?? (() => NaN);
      let [reward, tries] = [of(random), 0];
      while (errors !== undefined && tries < MAX_TRIES && random.chance(errors(reward, variant)))
        [reward, tries] = [of(random), tries + 1];
      const outcome = /** @type {'pass' | 'error'} */ (tries === MAX_TRIES ? 'error' : 'pass');
      return [id, { outcome, cost_usd: null, errors: tries, ...(outcome === 'error' ? {} : { reward }) }];
    }),
  );
  const decisionWith = (/** @type {{ effect?: number }} */ more) =>
    decide(
      cells,
      {
        base: { kind: 'variant', variant: 'base' },
        measure: 'reward',
        ...{ margin: margin ?? null, alpha: 0.05, most_runs: cap, round_size: sides.length, ...more },
      },
      results,
      'open',
    ).decision;
  const without = decisionWith({});
  const decision = effect === undefined ? without : decisionWith({ effect });
  return { ...decision, pairs: decision.runs / 2, lost: share(isShown(without) && !isShown(decision)) };
}

/** @param {{ verdict: string }} decided */
const isShown = ({ verdict }) => verdict === 'better' || verdict === 'worse';

/** @param {number} length @param {[Reward, Reward]} sides @returns {[Reward, Reward][]} */
const times = (length, sides) => Array.from({ length }, () => sides);

const UNCHANGED = [1, 5].flatMap((configurations) => [
  ...Object.entries(KINDS).flatMap(([name, kind]) =>
    [0.5, 0.9].map((mean) => ({
      label: `${name}, mean ${mean}, K=${configurations}`,
      sides: times(configurations, [kind(mean), kind(mean)]),
    })),
  ),
  ...Object.entries(UNEQUAL).map(([label, sides]) => ({
    label: `${label}, K=${configurations}`,
    sides: times(configurations, sides),
  })),
]);

/** Half of them rise as much as the other half falls. @type {[Reward, Reward][]} */
const OPPOSITE = [0, 1, 2, 3].map((at) => {
  const [low, high] = [() => 0.3, (/** @type {Random} */ random) => share(random.chance(0.6))];
  return at % 2 === 0 ? [low, high] : [high, low];
});

/**
 * Power and pairs that the design reached, with a cap of 20 pairs of each configuration unless stated. Each holds for
 * the opposite change, too.
 * @type {[kind: string, configurations: number, cap: number, change: number, power: number, pairs: number][]}
 */
const REACHED = [
  ['0 or 1', 1, 20, 0.5, 0.767, 15.6],
  ['0 or 1', 1, 60, 0.3, 0.823, 44],
  ['0 or 1', 2, 20, 0.35, 0.767, 30.4],
  ['0 or 1', 5, 20, 0.2, 0.706, 78.9],
  ['0 or 1', 10, 20, 0.15, 0.785, 153.2],
  ['fifths', 1, 20, 0.3, 0.771, 17.1],
  ['fifths', 1, 60, 0.15, 0.875, 43.2],
  ['fifths', 2, 20, 0.17, 0.714, 32.8],
  ['fifths', 5, 20, 0.1, 0.739, 77.4],
  ['fifths', 10, 20, 0.07, 0.749, 154.7],
];

const reached = REACHED.flatMap(([kind, configurations, cap, change, power, pairs]) => {
  const of = KINDS[kind] ?? (() => () => NaN);
  const cells = (/** @type {(found: ReturnType<typeof untilClear>, sign: number) => number} */ figure) =>
    [-1, 1].map((sign) => ({
      label: sign > 0 ? 'a rise' : 'a fall',
      once: (/** @type {Random} */ random) =>
        figure(
          untilClear(random, times(configurations, [of(0.5 - (sign * change) / 2), of(0.5 + (sign * change) / 2)]), {
            cap,
          }),
          sign,
        ),
    }));
  const what = `rewards, ${kind}, K=${configurations}, cap ${cap}, 0.5 -+ ${change / 2}:`;
  return /** @type {Criterion[]} */ ([
    {
      what: `${what} power`,
      bar: { atLeast: power, isReached: true },
      of: 'worst',
      isSlow: true,
      cells: cells(({ verdict }, sign) => share(verdict === (sign > 0 ? 'better' : 'worse'))),
    },
    {
      what: `${what} pairs`,
      bar: { atMost: pairs, isReached: true },
      of: 'worst',
      isSlow: true,
      cells: cells((found) => found.pairs),
    },
  ]);
});

/** Giving up where the change of a row above is unlikely to be found. @type {Criterion[]} */
const givenUp = [
  {
    what: 'rewards, --effect, no change: share of the pairs',
    bar: { atMost: 0.9, isReached: true },
    of: 'worst',
    isSlow: true,
    cells: withEffect([0], ({ pairs }, most) => pairs / most),
  },
  {
    what: 'rewards, --effect, no change: false "better" or "worse"',
    bar: { atMost: 0.05 },
    of: 'worst',
    isSlow: true,
    cells: withEffect([0], (found) => share(isShown(found))),
  },
  {
    what: 'rewards, --effect, a change of that size: lost power',
    bar: { atMost: 0.02 },
    of: 'worst',
    isSlow: true,
    cells: withEffect([-1, 1], ({ lost }) => lost),
  },
];

/**
 * @param {readonly number[]} signs @param {(found: ReturnType<typeof untilClear>, most: number) => number} figure
 * @returns {Criterion['cells']}
 */
function withEffect(signs, figure) {
  return REACHED.flatMap(([kind, configurations, cap, effect]) =>
    signs.map((sign) => ({
      label: `${kind}, K=${configurations}, cap ${cap}, ${sign * effect}`,
      once: (random) => {
        const of = KINDS[kind] ?? (() => () => NaN);
        const sides = times(configurations, [of(0.5 - (sign * effect) / 2), of(0.5 + (sign * effect) / 2)]);
        return figure(untilClear(random, sides, { cap, effect }), cap * configurations);
      },
    })),
  );
}

/** @type {Criterion[]} */
export const rewards = [
  {
    what: 'rewards: type I error, any distribution',
    bar: { atMost: 0.05 },
    of: 'worst',
    cells: [...UNCHANGED, { label: 'configurations that change in opposite ways, K=4', sides: OPPOSITE }].map(
      ({ label, sides }) => ({ label, once: (random) => share(isShown(untilClear(random, sides))) }),
    ),
  },
  {
    what: 'rewards: type I error, errors that depend on the reward',
    bar: { atMost: 0.05 },
    of: 'worst',
    isSlow: true,
    cells: [1, 5].map((configurations) => ({
      label: `20 % of low rewards of head, K=${configurations}`,
      once: (random) => {
        const kind = KINDS['fifths']?.(0.5) ?? (() => NaN);
        const errors = (/** @type {number} */ reward, /** @type {string} */ variant) =>
          variant === 'head' && reward < 0.5 ? 0.2 : 0;
        return share(isShown(untilClear(random, times(configurations, [kind, kind]), { errors })));
      },
    })),
  },
  {
    what: 'rewards: false "not worse"',
    bar: { atMost: 0.03 },
    of: 'worst',
    isSlow: true,
    cells: Object.entries(KINDS).map(([label, kind]) => ({
      label: `${label}, K=3, 0.2 less`,
      once: (random) => {
        const { verdict } = untilClear(random, times(3, [kind(0.7), kind(0.5)]), { margin: 0.2 });
        return share(verdict === 'not worse' || verdict === 'equivalent');
      },
    })),
  },
  {
    what: 'rewards: coverage of the interval',
    bar: { atLeast: 0.95 },
    of: 'worst',
    isSlow: true,
    cells: Object.entries(KINDS).map(([label, kind]) => ({
      label: `${label}, K=2, 0.2 less`,
      once: (random) => {
        const { interval } = untilClear(random, times(2, [kind(0.7), kind(0.5)]));
        return share(interval !== null && interval.low <= -0.2 && -0.2 <= interval.high);
      },
    })),
  },
  ...reached,
  ...givenUp,
];
