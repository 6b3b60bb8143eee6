import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holm } from '../../src/statistics/test-family.js';

test('equals p.adjust(method = "holm") of R', () => {
  const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
  for (const [at, p] of [0.03, 0.06, 0.06, 0.02].entries()) expect(adjusted[at]).toBeCloseTo(p, 12);
  expect(holm([0.4])).toEqual([0.4]);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});

test('makes no p smaller and none larger than 1, and keeps their order', () => {
  const ps = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
  fc.assert(
    fc.property(ps, (all) => {
      const adjusted = holm(all);
      for (const [at, p] of all.entries()) {
        expect(adjusted[at]).toBeGreaterThanOrEqual(p);
        expect(adjusted[at]).toBeLessThanOrEqual(1);
        for (const [other, q] of all.entries())
          if (p < q) expect(adjusted[at]).toBeLessThanOrEqual(adjusted[other] ?? NaN);
      }
    }),
  );
});
