import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compositeScore, compositeTier } from '../../src/model/verdict.js';

const weights = { judge_weight: 0.55, gate_weight: 0.35, interaction_weight: 0.1 };
const share = fc.double({ min: 0, max: 1, noNaN: true });
const weighted = fc.tuple(share, share, share).map(([a, b, c]) => {
  const sum = a + b + c || 1;
  return { judge_weight: a / sum, gate_weight: b / sum, interaction_weight: c / sum };
});
const gates = fc
  .nat({ max: 20 })
  .chain((gatesTotal) => fc.nat({ max: gatesTotal }).map((gatesPassed) => ({ gatesPassed, gatesTotal })));
const parts = fc
  .record({
    judgeScore: fc.option(share),
    gates,
    firstTrySuccessRate: fc.option(share),
  })
  .map(({ gates, ...rest }) => ({ ...gates, ...rest }));

test('is the weighted sum of its three parts', () => {
  const score = compositeScore(weights, {
    judgeScore: 0.8,
    gatesPassed: 3,
    gatesTotal: 4,
    firstTrySuccessRate: 0.5,
  });
  expect(score).toBeCloseTo(0.55 * 0.8 + 0.35 * 0.75 + 0.1 * 0.5, 12);
});

test('missing parts count as 0', () => {
  const nothing = { judgeScore: null, gatesPassed: 0, gatesTotal: 0, firstTrySuccessRate: null };
  expect(compositeScore(weights, nothing)).toBe(0);
  expect(compositeScore(weights, { ...nothing, gatesPassed: 2, gatesTotal: 2 })).toBeCloseTo(0.35, 12);
});

test('stays within 0 and 1, even when the weights do not sum to 1', () => {
  const wild = fc.record({
    judge_weight: fc.double({ min: -3, max: 3, noNaN: true }),
    gate_weight: share,
    interaction_weight: share,
  });
  fc.assert(
    fc.property(wild, parts, (w, p) => {
      const score = compositeScore(w, p);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }),
  );
});

test('never falls when another gate passes or the judge gives a higher score', () => {
  fc.assert(
    fc.property(weighted, parts, (w, p) => {
      const score = compositeScore(w, p);
      if (p.gatesPassed < p.gatesTotal)
        expect(compositeScore(w, { ...p, gatesPassed: p.gatesPassed + 1 })).toBeGreaterThanOrEqual(score);
      expect(compositeScore(w, { ...p, judgeScore: 1 })).toBeGreaterThanOrEqual(score);
    }),
  );
});

test.each([
  [1, 'Excellent'],
  [0.9, 'Excellent'],
  [0.899, 'Good'],
  [0.7, 'Good'],
  [0.699, 'Acceptable'],
  [0.5, 'Acceptable'],
  [0.499, 'Poor'],
  [0, 'Poor'],
])('%d is called %s', (score, tier) => {
  expect(compositeTier(score)).toBe(tier);
});

test('a rounding error in the sum does not lower the tier', () => {
  expect(0.1 + 0.7 + 0.1).toBeLessThan(0.9);
  expect(compositeTier(0.1 + 0.7 + 0.1)).toBe('Excellent');
});
