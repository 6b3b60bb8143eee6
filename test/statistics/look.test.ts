import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { look, total, type Round } from '../../src/statistics/look.js';
import { nextRound } from '../../src/statistics/next-round.js';
import { lookAt, NO_LOOK, passesIn, type SequentialTest } from '../../src/statistics/sequential-test.js';
import { planeAfter } from '../../src/statistics/one-configuration.js';
import { boundaries, spend } from '../../src/statistics/spending.js';
import { testDifference } from '../../src/statistics/test-difference.js';
import { strata, stratum, swapped } from './arbitrary.js';

const alpha = 0.05;
const pair = fc.constantFrom<Round[number]>(...strata([0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]));
const anyRounds = fc.array(fc.tuple(pair, pair), { minLength: 1, maxLength: 8 });
const plan = { alpha, margin: 0.2, most: 16 };

test('boundaries are those of a published table', () => {
  // Jennison and Turnbull (2000): power family with exponent 2, 5 equally spaced looks. Multivariate normal
  // probabilities of scipy give 3.0902, 2.7141, 2.4728, 2.2799 and 2.1140 (references/reference-values.py.txt).
  const z = boundaries([0.2, 0.4, 0.6, 0.8, 1], alpha);
  for (const [at, other] of [3.0902, 2.7141, 2.4728, 2.2799, 2.114].entries())
    expect(Math.abs((z[at] ?? NaN) - other)).toBeLessThan(0.001);
});

describe('the sequential exact test', () => {
  const outcomes = strata([0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]);
  const level = 0.3;
  /**
   * The probabilities, over all sequences of rounds of a pair of each configuration, that the test stops, when each
   * side of all configurations passes with one of these probabilities.
   */
  const stops = (
    rates: readonly number[],
    { configurations, rounds }: { configurations: number; rounds: number },
    played: readonly Round[] = [],
    before: SequentialTest = NO_LOOK,
  ): number[] => {
    const passed = total(played).reduce((sum, { base, head }) => sum + base.passed + head.passed, 0);
    const runs = 2 * configurations * played.length;
    if (before.crossed !== null) return rates.map((rate) => rate ** passed * (1 - rate) ** (runs - passed));
    if (played.length === rounds) return rates.map(() => 0);
    return roundsOf(configurations).reduce(
      (all, round) => {
        const now = [...played, round];
        const passes = [
          ...passesIn(
            now,
            now.map((_, at) => total(now.slice(0, at + 1))),
          ),
        ].at(-1);
        if (passes === undefined) throw new Error('no round');
        const after = lookAt(before, passes, { most: rounds * configurations, alpha: level });
        return stops(rates, { configurations, rounds }, now, after).map((more, at) => more + (all[at] ?? 0));
      },
      rates.map(() => 0),
    );
  };
  const roundsOf = (configurations: number): Round[] =>
    configurations === 0 ? [[]] : roundsOf(configurations - 1).flatMap((some) => outcomes.map((one) => [...some, one]));
  test.each([
    [1, 5],
    [2, 3],
  ])('of %d configurations stops by chance, and no more often than alpha allows', (configurations, rounds) => {
    const errors = stops([0.1, 0.3, 0.5, 0.8], { configurations, rounds });
    expect(Math.max(...errors)).toBeLessThanOrEqual(level);
    expect(Math.max(...errors)).toBeGreaterThan(0.01);
  });

  /** The probability of a stop of one configuration with so many pairs at most, over all outcomes. */
  const stopsOfOne = (rate: number, most: number): number => {
    let before = new Map([[0, 1]]);
    let all = 0;
    for (let pairs = 1; pairs <= most; pairs++) {
      const { stops: isOver } = planeAfter(Array<number>(pairs).fill(1), { alpha, most });
      const after = new Map<number, number>();
      for (const [outcome, probability] of before)
        for (const [base, head] of [
          [0, 0],
          [0, 1],
          [1, 0],
          [1, 1],
        ] as const) {
          const at = (Math.floor(outcome / pairs) + base) * (pairs + 1) + (outcome % pairs) + head;
          const passed = base + head;
          after.set(at, (after.get(at) ?? 0) + probability * rate ** passed * (1 - rate) ** (2 - passed));
        }
      for (const outcome of isOver) {
        all += after.get(outcome) ?? 0;
        after.delete(outcome);
      }
      before = after;
    }
    return all;
  };
  test.each([4, 10, 20, 30])('of one configuration uses alpha, and no more at any pass rate, with %d pairs', (most) => {
    const rates = Array.from({ length: 99 }, (_, at) => (at + 1) / 100);
    const errors = rates.map((rate) => stopsOfOne(rate, most));
    expect(Math.max(...errors)).toBeLessThanOrEqual(alpha);
    expect(Math.max(...errors)).toBeGreaterThan(0.03);
    for (const [at, error] of errors.entries()) expect(error).toBeCloseTo(errors.at(-1 - at) ?? NaN, 9);
  });
  test.each([
    [1, 3],
    [2, 2],
    [3, 2],
    [5, 1],
    [10, 1],
  ])(
    'of %d configurations finds 0 against 100 %% after %d rounds, as soon as a fixed test, in both directions',
    (configurations, rounds) => {
      const all = Array.from({ length: 20 }, () => Array.from({ length: configurations }, () => stratum([0, 1, 1, 1])));
      for (const [played, verdict] of [
        [all, 'better'],
        [all.map(swapped), 'worse'],
      ] as const) {
        const found = look(played, { alpha, margin: null, most: 20 * configurations });
        expect([found.verdict, found.rounds]).toEqual([verdict, rounds]);
        const fixed = (runs: number) => testDifference(total(played.slice(0, runs)), { alpha }).verdict;
        expect([fixed(rounds - 1), fixed(rounds)]).toEqual([
          rounds === 1 ? 'nothing to compare' : 'too few runs',
          verdict,
        ]);
      }
    },
  );
});

describe('look', () => {
  test('never spends more than allowed, and agrees with its interval', () => {
    fc.assert(
      fc.property(anyRounds, (rounds) => {
        const { spent_alpha, information, verdict, interval } = look(rounds, plan);
        // 4 pairs of which all runs of one side pass and none of the other decide, too.
        expect(spent_alpha).toBeLessThanOrEqual(Math.min(alpha, 2 / 4 ** 4 + spend(information, alpha)) + 1e-12);
        const { low, high } = interval ?? { low: NaN, high: NaN };
        if (verdict === 'better') expect(low).toBeGreaterThanOrEqual(0);
        else expect(low).toBeLessThanOrEqual(0);
        if (verdict === 'worse') expect(high).toBeLessThanOrEqual(0);
        else expect(high).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 50 },
    );
  });
  test('after a stop, further rounds change nothing', () => {
    fc.assert(
      fc.property(anyRounds, anyRounds, (rounds, more) => {
        const first = look(rounds, plan);
        fc.pre(first.stop);
        expect(look([...rounds, ...more], plan)).toEqual(first);
      }),
      { numRuns: 200 },
    );
  });
  test('stops at a clear difference, at a margin, and at the cap', () => {
    const worse = Array.from({ length: 20 }, () => strata([1, 1, 0, 1], [1, 1, 0, 1]));
    expect(look(worse, { alpha, margin: null, most: 40 })).toMatchObject({ stop: true, verdict: 'worse' });
    expect(look(worse, { alpha, margin: null, most: 40 }).rounds).toBeLessThan(12);
    const same = Array.from({ length: 40 }, () => strata([1, 1, 1, 1], [1, 1, 1, 1]));
    expect(look(same, { alpha, margin: 0.2, most: 80 })).toMatchObject({ stop: true, reason: 'margin' });
    expect(look(same, { alpha, margin: null, most: 80 })).toMatchObject({
      stop: true,
      verdict: 'undecided',
      reason: 'most runs',
      rounds: 40,
    });
    expect(look(same.slice(0, 2), { alpha, margin: 0.2, most: 80 }).stop).toBe(false);
    expect(look([], { alpha, margin: 0.2, most: 80 })).toMatchObject({ stop: false, interval: null });
  });
  test('counts how many runs of a configuration passed, not in which rounds', () => {
    const [odd, even] = [strata([0, 1, 1, 1], [1, 1, 1, 1]), strata([1, 1, 1, 1], [0, 1, 1, 1])];
    const rounds = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? odd : even));
    // Given the passes of each round apart, it would take 9.
    for (const [played, verdict] of [
      [rounds, 'better'],
      [rounds.map(swapped), 'worse'],
    ] as const)
      expect(look(played, { alpha, margin: null, most: 40 })).toMatchObject({ verdict, rounds: 8 });
  });
  test('finds no difference in a few pairs because all others are alike', () => {
    const [pass, fail] = [strata([1, 1, 1, 1], [1, 1, 1, 1]), strata([0, 1, 0, 1], [0, 1, 0, 1])];
    const risen = strata([0, 1, 1, 1], [0, 1, 1, 1]);
    const rounds = [...Array.from({ length: 98 }, (_, at) => (at % 2 === 0 ? pass : fail)), risen, risen];
    for (const played of [rounds, rounds.map(swapped)])
      expect(look(played, { alpha: 0.2, margin: null, most: 200 }).verdict).toBe('undecided');
  });
  test.each([
    ['exactly', strata([20, 20, 10, 20], [0, 2, 1, 2])],
    ['but for rounding', strata([40, 40, 28, 40], [0, 10, 3, 10])],
  ])('finds neither side better if the mean difference is 0, %s', (_, round) => {
    for (const one of [round, swapped(round)]) {
      const { verdict, difference } = look([one], { alpha, margin: null, most: 50 });
      expect(difference).toBeCloseTo(0, 15);
      expect(verdict).toBe('undecided');
    }
  });
});

describe('nextRound', () => {
  const options = { size: 3, costs: [1, 1, 1], remaining: [20, 20, 20] };
  test('starts with one pair of each configuration', () => {
    expect(nextRound([], options)).toEqual([1, 1, 1]);
  });
  test('gives more to configurations whose outcomes vary, and to cheap ones', () => {
    const rounds = Array.from({ length: 6 }, () => strata([1, 1, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]));
    const [steady = NaN, mixed = NaN] = nextRound(rounds, { ...options, size: 9 });
    expect(mixed).toBeGreaterThan(steady);
    const [cheap = NaN, dear = NaN] = nextRound([], { ...options, size: 12, costs: [1, 4, 4] });
    expect(cheap).toBeGreaterThan(dear);
  });
  test('gives as many as asked for, no more than remain, and the same whichever side passed', () => {
    const remaining = fc.tuple(fc.nat(4), fc.nat(4));
    fc.assert(
      fc.property(anyRounds, fc.nat(9), remaining, (rounds, size, left) => {
        const next = nextRound(rounds, { size, costs: [1, 2], remaining: left });
        expect(next.reduce((a, b) => a + b, 0)).toBe(Math.min(size, left[0] + left[1]));
        expect(next.every((pairs, at) => pairs <= (left[at] ?? 0))).toBe(true);
        const other = rounds.map((round) => round.map(({ base, head }) => ({ base: head, head: base })));
        expect(nextRound(other, { size, costs: [1, 2], remaining: left })).toEqual(next);
      }),
    );
  });
});
