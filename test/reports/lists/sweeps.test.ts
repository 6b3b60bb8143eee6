import { describe, expect, test } from 'vitest';
import type { SweepSummary } from '../../../src/decide/documents/sweep-list.js';
import { totalsOf } from '../../../src/decide/totals.js';
import { renderSweeps } from '../../../src/reports/lists/sweeps.js';
import { cell } from '../../model/sample.js';

const summary = (change: Partial<SweepSummary>): SweepSummary => ({
  id: 's1',
  started: '2026-01-01T00:00:00.000Z',
  status: 'completed',
  totals: totalsOf([cell()]),
  cost_usd: null,
  cost_unknown: 0,
  duration_secs: 2,
  scenarios: ['notes'],
  agents: ['mock/default'],
  ...change,
});
const render = (change: Partial<SweepSummary>): string =>
  renderSweeps([summary(change)], 0, Date.parse('2026-01-01T02:00:00.000Z'), { color: false, width: 120 });

describe('the cost of a sweep in the list', () => {
  test('is left out if nothing was run', () => {
    expect(render({ cost_usd: null, cost_unknown: 0 })).not.toMatch(/\$|n\/a/);
  });

  test('is shown if known, and n/a if no cost of its runs is known', () => {
    expect(render({ cost_usd: 0.5, cost_unknown: 0 })).toContain('$0.50');
    expect(render({ cost_usd: 0.5, cost_unknown: 1 })).toContain('>$0.50');
    expect(render({ cost_usd: null, cost_unknown: 1 })).toContain('n/a');
  });
});
