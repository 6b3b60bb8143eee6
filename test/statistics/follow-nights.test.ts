import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Stratum } from '../../src/statistics/counts.js';
import { passesOfHead } from '../../src/statistics/distribution.js';
import { ALARM, followNights, nightSd } from '../../src/statistics/follow-nights.js';
import { lossEvidence, riseEvidence } from '../../src/statistics/loss-evidence.js';

const stratum = fc
  .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }), fc.nat(), fc.nat())
  .map(([base, head, some, more]): Stratum => ({
    base: { passed: some % (base + 1), tested: base },
    head: { passed: more % (head + 1), tested: head },
  }));

/** The same runs of both sides, with another number of those that passed in head. */
const withPasses = ({ base, head }: Stratum, passed: number): Stratum => ({
  base: { ...base, passed: base.passed + head.passed - passed },
  head: { ...head, passed },
});

test('if nothing has changed, the mean of the evidence is 1, whatever the pass rates are', () => {
  fc.assert(
    fc.property(stratum, stratum, (one, other) => {
      const [first, second] = [one, other].map((of) => passesOfHead([of]));
      let mean = 0;
      for (const [at, a] of (first?.probabilities ?? []).entries())
        for (const [place, b] of (second?.probabilities ?? []).entries()) {
          const outcome = [withPasses(one, (first?.first ?? 0) + at), withPasses(other, (second?.first ?? 0) + place)];
          mean += a * b * Math.exp(lossEvidence(outcome, 0));
        }
      expect(mean).toBeCloseTo(1, 6);
    }),
    { numRuns: 50 },
  );
});

test('the more nights differ anyway, the less a loss shows; nothing shows where all runs passed, or there are none', () => {
  const loss = { base: { passed: 30, tested: 30 }, head: { passed: 20, tested: 30 } };
  const evidence = [0, 0.3, 0.6].map((sd) => lossEvidence([loss], sd));
  expect([...evidence].sort((a, b) => b - a)).toEqual(evidence);
  expect(evidence[0]).toBeGreaterThan(Math.log(ALARM));
  const same = { base: { passed: 30, tested: 30 }, head: { passed: 9, tested: 9 } };
  expect([lossEvidence([same], 0.3), lossEvidence([], 0.3)]).toEqual([0, 0]);
  expect(lossEvidence([{ ...same, head: { passed: 0, tested: 0 } }], 0.3)).toBe(0);
  const large = { base: { passed: 5000, tested: 5000 }, head: { passed: 0, tested: 5000 } };
  expect(lossEvidence([large, loss], 0.3)).toBeGreaterThan(500);
});

test('nights that differ more than by chance are noticed, and one change of the level is hardly taken for that', () => {
  const nights = (...passed: number[]) => passed.map((one) => [{ passed: one, tested: 40 }]);
  expect(nightSd([])).toBe(0.3);
  expect(nightSd(nights(28, 30, 29, 27, 28, 30, 29, 28))).toBe(0.3);
  const level = nightSd(nights(36, 35, 36, 37, 36, 20, 19, 21, 20, 19));
  expect(level).toBeLessThan(0.5);
  expect(nightSd(nights(36, 10, 34, 12, 37, 9, 30, 14))).toBeGreaterThan(1);
});

test('a rise is seen if nights vary little, and not if they vary as much anyway', () => {
  const low = [0, 0.02, -0.01, 0.01, 0, -0.02, 0.01, 0.02];
  expect(riseEvidence(low, [0.5, 0.51, 0.49, 0.52, 0.5, 0.48])).toBeGreaterThan(Math.log(2 * ALARM));
  expect(riseEvidence([0, 0.6, -0.5, 0.4], [0.3, 0.7, -0.2, 0.5])).toBeLessThan(Math.log(5));
  expect(riseEvidence([], [1])).toBe(0);
});

/** Evidence that the later numbers are lower, if numbers vary by 1. */
const lower = (before: readonly number[], after: readonly number[]): number => {
  const mean = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0) / values.length;
  return Math.max(0, mean(before) - mean(after)) ** 2 / 2 / (1 / before.length + 1 / after.length) - 1;
};

test('a loss stays until nights are as before, and names its first night', () => {
  const nights = [0, 0, 0, 0, -9, -9, -9, 0, 0, -9];
  const followed = followNights(nights, () => lower);
  expect(followed.map(({ lost }) => lost)).toEqual([...[null, null, null, null, 4, 4, 4, null, null, 9]]);
  expect(followed[6]).toMatchObject({ kept: [0, 1, 2, 3], since: [4, 5, 6] });
  expect(followed[8]).toMatchObject({ kept: [0, 1, 2, 3, 7, 8], since: [] });
});

test('of a year of nights, the reference and the newest count', () => {
  const followed = followNights(new Array<number>(365).fill(0), () => lower).at(-1);
  expect(followed?.kept).toHaveLength(90);
  expect(followed?.kept.slice(0, 2)).toEqual([0, 276]);
});
