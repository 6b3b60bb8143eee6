import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { look, type Round, sequentialP } from '../../src/statistics/look.js';
import { strata, swapped } from './arbitrary.js';

const alpha = 0.05;
const outcomes = strata([0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]);

/** All sequences of so many rounds of one pair. */
const sequences = (rounds: number): Round[][] =>
  rounds === 0 ? [[]] : sequences(rounds - 1).flatMap((before) => outcomes.map((one) => [...before, [one]]));

const passesIn = (rounds: readonly Round[]): number =>
  rounds.flat().reduce((sum, { base, head }) => sum + base.passed + head.passed, 0);

describe('sequentialP', () => {
  const rounds = 5;
  const all = sequences(rounds).map((sequence) => ({
    passes: passesIn(sequence),
    p: sequentialP(sequence, { alpha, most: rounds }),
  }));
  test.each([0.1, 0.3, 0.5, 0.8])(
    'is at most u with a probability of at most u, over all sequences at a pass rate of %d',
    (rate) => {
      for (const u of [0.05, 0.1, 0.2, 0.3, 0.5, 0.8]) {
        const probability = all
          .filter(({ p }) => p <= u)
          .reduce((sum, { passes }) => sum + rate ** passes * (1 - rate) ** (2 * rounds - passes), 0);
        expect(probability).toBeLessThanOrEqual(u);
      }
    },
  );
  test('can be small', () => {
    expect(Math.min(...all.map(({ p }) => p))).toBeLessThan(0.1);
  });
  test('never rises from look to look, so it may be read at any of them', () => {
    for (const sequence of sequences(4)) {
      const ps = [1, 2, 3, 4].map((length) => sequentialP(sequence.slice(0, length), { alpha, most: 4 }));
      expect(ps).toEqual([...ps].sort((a, b) => b - a));
    }
  });
  test('is at most alpha exactly if the look says better or worse', () => {
    const pair = fc.constantFrom(...outcomes);
    const anyRounds = fc.array(fc.tuple(pair, pair), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(anyRounds, fc.constantFrom(0.05, 0.3), (some, level) => {
        const plan = { alpha: level, most: 20 };
        const { verdict } = look(some, { ...plan, margin: null });
        expect(sequentialP(some, plan) <= level).toBe(verdict === 'better' || verdict === 'worse');
      }),
      { numRuns: 100 },
    );
  });
  test('is above alpha if the mean difference is 0, no matter which side has passed more often', () => {
    const round = strata([20, 20, 10, 20], [0, 2, 1, 2]);
    for (const one of [round, swapped(round)]) expect(sequentialP([one], { alpha, most: 22 })).toBeGreaterThan(alpha);
  });
  test('is 1 before the first round, and falls with the evidence', () => {
    expect(sequentialP([], { alpha, most: 20 })).toBe(1);
    const worse = Array.from({ length: 8 }, () => strata([1, 1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]));
    const [few = NaN, many = NaN] = [4, 8].map((length) => sequentialP(worse.slice(0, length), { alpha, most: 60 }));
    expect(few).toBeLessThan(0.25);
    expect(many).toBeLessThan(few / 10);
  });
});
