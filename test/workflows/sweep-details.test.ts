import { expect, test } from 'vitest';
import type { SweepProgress } from '../../src/protocol/index.js';
import { decisionMemo, sweepDetails } from '../../src/workflows/ui.js';

type Decision = NonNullable<SweepProgress['decision']>;

const DECIDED: Decision = {
  base: { variant: 'bare', sweep: null },
  head_variant: 'guided',
  verdict: 'worse',
  stopped: 'clear',
  margin: null,
  alpha: 0.05,
  difference: -0.7,
  interval: { low: -0.93, high: -0.1 },
  spent_alpha: 0.00693,
  p: null,
  rounds: 5,
  runs: 20,
  most_runs: 40,
  runs_again: 0,
  pairs_left_out: 0,
};
const NO_COUNTS = { pass: 0, fail: 0, error: 0, cancelled: 0 };

test('shows what a sweep has decided, and why it has stopped', () => {
  const details = sweepDetails({
    status: 'completed',
    active: [],
    total: 20,
    counts: { ...NO_COUNTS, pass: 12, fail: 8 },
    decision: DECIDED,
  });
  expect(details.split('\n').slice(2)).toEqual([
    '| completed | 20 | 12 | 8 | 0 | 0 | 0 | 0 |',
    '',
    '**guided is worse than bare: pass rate -70 points (between -93 and -10)**',
    '',
    'stopped after 20 of at most 40 runs (20 saved): the verdict is clear; 5 looks, 0.0069 of the significance level of 0.05 spent',
  ]);
});

test('p is shown where it is known, once the sweep has stopped: before, it says how far a verdict is, not how likely', () => {
  const progressOf = (p: number | null, stopped: Decision['stopped'] = 'clear'): string =>
    decisionMemo({ ...DECIDED, p, stopped }).progress;
  expect(progressOf(0.00691)).toMatch(/0\.0069 of the significance level of 0\.05 spent, p = 0\.0069$/);
  expect(progressOf(0.000_001)).toMatch(/, p < 0\.0001$/);
  expect(progressOf(null)).toMatch(/of 0\.05 spent$/);
  expect(progressOf(0.93, null)).toMatch(/of 0\.05 spent$/);
});

test('the memo of a sweep says the same, and the reason of each stop without a clear verdict', () => {
  expect(decisionMemo(DECIDED)).toEqual({
    decision: 'guided is worse than bare: pass rate -70 points (between -93 and -10)',
    progress:
      'stopped after 20 of at most 40 runs (20 saved): the verdict is clear; 5 looks, 0.0069 of the significance level of 0.05 spent',
  });
  const reasons = (['most runs', 'budget', 'errors', 'cancelled'] as const).map(
    (stopped) => decisionMemo({ ...DECIDED, verdict: 'undecided', stopped }).progress,
  );
  expect(reasons).toEqual([
    expect.stringContaining('no runs are left'),
    expect.stringContaining('the budget is used up'),
    expect.stringContaining('too many runs neither passed nor failed'),
    expect.stringContaining('it was cancelled'),
  ]);
});
