import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { less, flipsP, movedBy, movedInterval, type Flips } from '../../src/statistics/paired-change.js';

const ALPHA = { alpha: 0.05 };

describe('verdicts that were given twice', () => {
  test.each([
    [{ pairs: 20, toPass: 0, toFail: 0 }, 1],
    [{ pairs: 20, toPass: 3, toFail: 3 }, 1],
    [{ pairs: 20, toPass: 0, toFail: 5 }, 2 / 32],
    [{ pairs: 20, toPass: 0, toFail: 6 }, 2 / 64],
    [{ pairs: 100, toPass: 9, toFail: 1 }, (2 * 11) / 1024],
  ])('of %j are tested exactly', (flips, p) => {
    expect(flipsP(flips)).toBeCloseTo(p, 12);
  });

  test('that all stay the same have the closed form of the score interval', () => {
    const square = 1.959963984540054 ** 2;
    for (const pairs of [1, 20, 30, 500]) {
      const { low, high } = movedInterval({ pairs, toPass: 0, toFail: 0 }, ALPHA);
      expect(high).toBeCloseTo(square / (pairs + square), 8);
      expect(low).toBeCloseTo(-high, 12);
    }
  });

  const flips = fc
    .tuple(fc.nat(40), fc.nat(40), fc.integer({ min: 1, max: 40 }))
    .map(([toPass, toFail, same]): Flips => ({ pairs: toPass + toFail + same, toPass, toFail }));

  test('give an interval that mirrors, contains the estimate, and excludes 0 only with the test', () => {
    fc.assert(
      fc.property(flips, (one) => {
        const { low, high } = movedInterval(one, ALPHA);
        const mirrored = movedInterval({ ...one, toPass: one.toFail, toFail: one.toPass }, ALPHA);
        expect(mirrored.low).toBeCloseTo(-high, 8);
        expect(low).toBeLessThanOrEqual(movedBy(one));
        expect(high).toBeGreaterThanOrEqual(movedBy(one));
        if (low > 0 || high < 0) expect(flipsP(one)).toBeLessThanOrEqual(0.05);
        else expect(low * high).toBeLessThanOrEqual(0);
      }),
    );
  });

  test.each([
    [30, 0.05, 0.05],
    [30, 0.2, 0.2],
    [30, 0.02, 0.2],
    [60, 0.1, 0.3],
  ])('of %i pairs, %d to pass and %d to fail, are covered and rarely called a drift', (pairs, up, down) => {
    let [covered, found, all] = [0, 0, 0];
    const choose = (n: number, k: number): number =>
      Array.from({ length: k }, (_, at) => (n - at) / (at + 1)).reduce((product, one) => product * one, 1);
    for (let toPass = 0; toPass <= pairs; toPass++)
      for (let toFail = 0; toFail <= pairs - toPass; toFail++) {
        const chance =
          choose(pairs, toPass) *
          choose(pairs - toPass, toFail) *
          up ** toPass *
          down ** toFail *
          (1 - up - down) ** (pairs - toPass - toFail);
        if (chance < 1e-9) continue;
        const one = { pairs, toPass, toFail };
        const { low, high } = movedInterval(one, ALPHA);
        all += chance;
        if (low <= up - down && up - down <= high) covered += chance;
        if (flipsP(one) <= 0.05) found += chance;
      }
    expect(all).toBeGreaterThan(0.9999);
    expect(covered).toBeGreaterThan(0.94);
    if (up === down) expect(found).toBeLessThanOrEqual(0.05);
  });
});

test('a difference less a movement has the interval of both', () => {
  const change = less({ value: -0.3, low: -0.4, high: -0.2 }, { value: -0.1, low: -0.14, high: -0.06 });
  expect(change.value).toBeCloseTo(-0.2, 12);
  expect(change.low).toBeCloseTo(-0.2 - Math.hypot(0.1, 0.04), 12);
  expect(change.high).toBeCloseTo(-0.2 + Math.hypot(0.1, 0.04), 12);
});
