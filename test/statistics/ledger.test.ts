import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../src/lib/random.js';
import {
  type Account,
  afterStart,
  firstLevel,
  informationIn,
  ledgerOf,
  leftOf,
  lookIn,
  spentOf,
} from '../../src/statistics/ledger.js';
import { normalQuantileOfTail, normalTail } from '../../src/statistics/normal.js';

/**
 * Returns the share of questions in which any look finds a difference that does not exist, on either side.
 * `informations`: those of the looks.
 */
function falseAlarms(informations: readonly number[], alpha: number): { better: number; worse: number } {
  const random = randomFrom('looks');
  const ends = ledgerOf(informations, alpha).map(({ level }) => normalQuantileOfTail(level / 2));
  const found = { better: 0, worse: 0 };
  for (let question = 0; question < QUESTIONS; question++) {
    let [sum, last] = [0, 0];
    for (const [at, information] of informations.entries()) {
      sum += Math.sqrt(information - last) * normalQuantileOfTail(random());
      last = information;
      if (Math.abs(sum) / Math.sqrt(information) <= (ends[at] ?? 0)) continue;
      found[sum > 0 ? 'better' : 'worse'] += 1;
      break;
    }
  }
  return { better: found.better / QUESTIONS, worse: found.worse / QUESTIONS };
}
const QUESTIONS = 20_000;
/** Four standard errors. */
const BY_CHANCE = 4 * Math.sqrt((0.05 * 0.95) / QUESTIONS);

describe('the ledger of alpha', () => {
  test.each([
    ['two looks, the second at the runs that the first has asked for', [2.5, 11.5]],
    ['four looks', [2.5, 11.5, 25, 60]],
    ['ten looks after a few more runs each', [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]],
    ['a second look at hardly more runs', [100, 100.5]],
  ])('%s: at most 5 of 100 questions are answered wrongly, half of them in each direction', (_, looks) => {
    const { better, worse } = falseAlarms(looks, 0.05);
    expect(better + worse).toBeLessThan(0.05 + BY_CHANCE);
    expect(better + worse).toBeGreaterThan(0.04 - BY_CHANCE);
    expect(Math.abs(better - worse)).toBeLessThan(BY_CHANCE);
  });

  test('gives most of alpha to the first look, and what is left to later ones, the more the more runs they add', () => {
    expect(ledgerOf([7], 0.05)).toEqual([{ level: firstLevel(0.05), spent: 0.04 }]);
    expect(ledgerOf([5, 23], 0.05)).toEqual([
      { level: 0.04, spent: 0.04 },
      { level: expect.closeTo(0.01, 3) as number, spent: expect.closeTo(0.0478, 4) as number },
    ]);
  });

  test('is never overdrawn, however many looks there are', () => {
    const looks = fc.array(fc.double({ min: 0.1, max: 50, noNaN: true }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(looks, fc.constantFrom(0.01, 0.05, 0.2), (steps, alpha) => {
        let information = 0;
        const informations = steps.map((step) => (information += step));
        const ledger = ledgerOf(informations, alpha);
        for (const [at, { level, spent }] of ledger.entries()) {
          expect(spent).toBeLessThanOrEqual(alpha);
          expect(spent).toBeGreaterThanOrEqual(ledger[at - 1]?.spent ?? 0);
          // At least what is newly spent. The sums spent are rounded, so they do not show that of a small step.
          const [first = 0, before = 0, now = 0] = [steps[0], informations[at - 1], informations[at]];
          const newly = at === 0 ? 0.8 * alpha : alpha * 0.2 * first * (1 / before - 1 / now);
          expect(level).toBeGreaterThanOrEqual(newly * 0.98 - 1e-6);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('agrees with a two-dimensional integral', () => {
    // Probability that the first look finds nothing and the second something, by the midpoint rule over the first
    // score.
    const [first, second] = ledgerOf([1, 4], 0.05).map(({ level }) => normalQuantileOfTail(level / 2));
    let found = 0;
    const STEPS = 4000;
    for (let step = 0; step < STEPS; step++) {
      const score = (first ?? 0) * ((2 * step + 1) / STEPS - 1);
      const density = Math.exp(-(score ** 2) / 2) / Math.sqrt(2 * Math.PI);
      const tail = (end: number): number => normalTail((end * 2 - score) / Math.sqrt(3));
      const beyond = tail(second ?? 0) + 1 - tail(-(second ?? 0));
      found += ((2 * (first ?? 0)) / STEPS) * density * beyond;
    }
    expect(found).toBeCloseTo(0.0075, 5);
  });
});

describe('starts of a sequential test draw on the same alpha', () => {
  const account = (change: Partial<Account> = {}): Account => ({
    ...{ alpha: 0.05, spent: 0, looks: [], isRepeated: false },
    ...change,
  });

  test('the first takes all of it, and each later one an eleventh of the one before', () => {
    const alphas = [0, 1, 2, 3].reduce<{ now: Account; taken: number[] }>(
      ({ now, taken }) => ({ now: afterStart(now, leftOf(now)), taken: [...taken, leftOf(now)] }),
      { now: account(), taken: [] },
    ).taken;
    for (const [at, taken] of alphas.entries()) expect(taken).toBeCloseTo(0.05 / 11 ** at, 5);
  });

  test('after one look, or two that repeat runs, a start has what these leave', () => {
    expect(leftOf(account({ looks: [5] }))).toBe(0.01364);
    expect(leftOf(account({ looks: [5, 5], isRepeated: true }))).toBe(0.009091);
  });

  test('a look after a start has most of what that leaves, as the first look at a question has of alpha', () => {
    const after = afterStart(account(), 0.05);
    expect(lookIn(after, [5]).level).toBeCloseTo(0.8 * 0.004545, 5);
    expect(lookIn(after, [5, 23]).level).toBeLessThan(0.2 * 0.004545 * 1.5);
  });

  test('all of them together never spend more than 1.1 times alpha, in whatever order', () => {
    const steps = fc.array(fc.oneof(fc.constant('start' as const), fc.double({ min: 0.1, max: 50, noNaN: true })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(steps, fc.constantFrom(0.01, 0.05, 0.2), fc.boolean(), (all, alpha, isRepeated) => {
        let [now, information, taken] = [account({ alpha, isRepeated }), 0, 0];
        for (const step of all) {
          const before = spentOf(now);
          if (step === 'start') {
            taken += leftOf(now);
            now = afterStart(now, leftOf(now));
          } else {
            information += step;
            now = { ...now, looks: [...now.looks, information] };
            // By the bound of Bonferroni: the levels of looks that share runs may add up to more than they spend.
            if (isRepeated) taken += lookIn(now, now.looks).level;
          }
          expect(spentOf(now)).toBeGreaterThanOrEqual(before * (1 - 1e-3));
          expect(spentOf(now)).toBeLessThanOrEqual(1.1 * alpha * (1 + 1e-3));
          expect(taken).toBeLessThanOrEqual(1.1 * alpha * (1 + 1e-3));
        }
      }),
      { numRuns: 20 },
    );
  });
});

test('information grows with each run, and is that of the smaller side if the other is large', () => {
  const of = (base: number, head: number) =>
    informationIn([{ base: { passed: 0, tested: base }, head: { passed: 0, tested: head } }]);
  expect([of(5, 5), of(5, 6), of(0, 9), of(5, 1e9)]).toEqual([2.5, 30 / 11, 0, expect.closeTo(5, 6)]);
});
