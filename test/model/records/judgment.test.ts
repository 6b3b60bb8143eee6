import { expect, test } from 'vitest';
import { Metrics } from '../../../src/model/records/result-line.js';
import { comparedScores, votesText } from '../../../src/model/verdict.js';
import { sumUsage, type TokenUsage } from '../../../src/model/records/token-usage.js';
import { judgment, metrics } from '../sample.js';

const usage = (change: Partial<TokenUsage>): TokenUsage => ({
  input: null,
  output: null,
  reasoning: null,
  cache_read: null,
  cache_write: null,
  ...change,
});

test('adds up usages, and unknown numbers stay unknown', () => {
  expect(sumUsage([usage({ input: 1, output: 2 }), usage({ input: 3 })])).toEqual(usage({ input: 4 }));
  expect(sumUsage([usage({ input: 1, output: 2, cache_read: 5 }), usage({ input: 3, output: 0 })])).toEqual(
    usage({ input: 4, output: 2, cache_read: 5 }),
  );
  expect(sumUsage([usage({ input: 1, output: 2 }), usage({})])).toEqual(usage({}));
  expect(sumUsage([])).toEqual(usage({}));
});

test('reads metrics with and without a judge', () => {
  expect(Metrics.parse(metrics()).judge).toBeNull();
  expect(Metrics.parse(metrics({ judge: judgment() })).judge).toEqual(judgment());
});

test.each<[number, number, [string, string]]>([
  [0.5, 0.7, ['0.50', '0.70']],
  [0.7, 0.7, ['0.70', '0.70']],
  [0.6996, 0.7, ['0.6996', '0.7000']],
  [0.699999, 0.7, ['0.699999', '0.700000']],
])('shows %d and %d with enough digits to tell whether they differ', (score, threshold, shown) => {
  expect(comparedScores(score, threshold)).toEqual(shown);
});

test('shows several votes with their spread, and a single one not at all', () => {
  const spread = { range: 0.5, deviation: 0.264575 };
  expect(votesText({ votes: [0.4, 0.8, 0.9], spread })).toBe(
    'mean of 3 votes: 0.40, 0.80, 0.90; range 0.50, standard deviation 0.26',
  );
  expect(votesText({ votes: [0.4], spread: null })).toBeNull();
});
