import { expect, it } from 'vitest';
import { formatKnownCost, shortKnownCost } from '../../../src/lib/format/amounts.js';
import { recordedUsage, shownTokens } from '../../../src/model/transcript/usage-meter.js';
import { paidCost } from '../../../src/decide/totals.js';
import { NO_USAGE } from '../../../src/model/records/token-usage.js';

const tokens = { ...NO_USAGE, input: 9000, output: 2 };
const used = { tokens, costUsd: 0.024, costSource: 'reported' } as const;

it('records fully known usage as it is', () => {
  expect(recordedUsage(used, true)).toEqual({
    token_usage: tokens,
    cost_usd: 0.024,
    cost_source: 'reported',
  });
});

it('records what is known of an interrupted agent only as a lower bound', () => {
  const recorded = recordedUsage(used, false);
  expect(recorded).toEqual({
    token_usage: NO_USAGE,
    token_usage_at_least: tokens,
    cost_usd: null,
    cost_usd_at_least: 0.024,
    cost_source: 'reported',
  });
  expect(shownTokens(recorded)).toEqual({ usage: tokens, atLeast: true });
});

it('records no bound if nothing was reported', () => {
  expect(recordedUsage({ tokens: NO_USAGE, costUsd: 0, costSource: null }, false).cost_usd).toBe(0);
  expect(recordedUsage({ tokens: NO_USAGE, costUsd: null, costSource: null }, false)).toEqual({
    token_usage: NO_USAGE,
    cost_usd: null,
    cost_source: null,
  });
});

it('shows a lower bound as such', () => {
  expect(formatKnownCost(null, 0.024)).toBe('at least $0.0240');
  expect(shortKnownCost(null, 0.024)).toBe('>$0.0240');
  expect([formatKnownCost(1, 0.024), formatKnownCost(null)]).toEqual(['$1.00', 'n/a']);
});

it('counts a lower bound as paid, and its run as one with an unknown cost', () => {
  const run = { outcome: 'fail', cached: false } as const;
  expect(
    paidCost([
      { ...run, cost_usd: 1 },
      { ...run, cost_usd: null, cost_usd_at_least: 0.5 },
      { ...run, cost_usd: null },
      { ...run, cached: true, cost_usd: null, cost_usd_at_least: 7 },
    ]),
  ).toEqual({ usd: 1.5, unknown: 2 });
});
