import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wilsonInterval } from '../../src/statistics/wilson-interval.js';

// `prop.test(correct = FALSE)` of R gives the same: references/reference-values.R.txt.
test.each([
  [0, 1, 0, 0.7934506856227626],
  [1, 1, 0.20654931437723745, 1],
  [3, 3, 0.4385029682449546, 1],
  [5, 5, 0.5655175352168251, 1],
  [8, 10, 0.4901624715366418, 0.9433178485456248],
  [16, 20, 0.5839825677481065, 0.9193423374202021],
  [0, 12, 0, 0.24249400665524085],
  [50, 100, 0.4038315303659956, 0.5961684696340044],
  [1, 1000, 0.00017654637062607809, 0.0056425585979579355],
])('for %d of %d equals the interval of scipy 1.17: %d to %d', (passed, runs, low, high) => {
  const interval = wilsonInterval({ passed: passed, tested: runs }, { alpha: 0.05 });
  expect(interval?.low).toBeCloseTo(low, 10);
  expect(interval?.high).toBeCloseTo(high, 10);
});

test('is null for no runs', () => {
  expect(wilsonInterval({ passed: 0, tested: 0 }, { alpha: 0.05 })).toBeNull();
});

test('lies within 0 and 1, contains the rate, and mirrors the interval of the failures', () => {
  const counts = fc.integer({ min: 1, max: 5000 }).chain((runs) => fc.tuple(fc.nat(runs), fc.constant(runs)));
  fc.assert(
    fc.property(counts, ([passed, runs]) => {
      const { low, high } = wilsonInterval({ passed: passed, tested: runs }, { alpha: 0.05 }) ?? {
        low: NaN,
        high: NaN,
      };
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(passed / runs);
      expect(high).toBeGreaterThanOrEqual(passed / runs);
      expect(wilsonInterval({ passed: runs - passed, tested: runs }, { alpha: 0.05 })?.low).toBeCloseTo(1 - high, 10);
    }),
  );
});
