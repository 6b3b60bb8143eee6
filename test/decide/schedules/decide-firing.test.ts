import { expect, test } from 'vitest';
import type { Firing } from '../../../src/decide/documents/firing.js';
import { isBaseline, nightText, textOfFiring } from '../../../src/decide/schedules/decide-firing.js';

const totals = (passed: number, failed = 0, errored = 0) => ({
  cells: passed + failed + errored,
  passed,
  failed,
  errored,
  cancelled: 0,
  cached: 0,
});

const firing = (more: Partial<Firing> = {}): Firing => ({
  schema_version: 1,
  schedule: 'nightly',
  firing: '20261124-030000',
  workflow: 'w',
  triggered: false,
  scheduled_at: '2026-11-24T03:00:00.000Z',
  sweep: 'nightly-1',
  status: 'completed',
  exit_code: 0,
  compared_with: null,
  verdict: null,
  reasons: [],
  totals: totals(2),
  cost_usd: 0,
  ended_at: null,
  webhook: null,
  nights: null,
  configurations: [],
  text: '',
  ...more,
});

test('a sweep that tested nothing, or did not complete, is no base of a comparison', () => {
  expect(isBaseline(firing())).toBe(true);
  expect(isBaseline(firing({ totals: totals(0, 0, 3) }))).toBe(false);
  expect(isBaseline(firing({ status: 'cancelled' }))).toBe(false);
  expect(isBaseline(firing({ status: 'not started', sweep: null, totals: null }))).toBe(false);
});

test('the text says what happened, compared with what, and why', () => {
  expect(
    textOfFiring(firing({ totals: totals(1, 2, 1), verdict: 'not tested', compared_with: 'nightly-0', exit_code: 3 })),
  ).toBe(
    'nightly (nightly-1): 1 of 4 passed, 2 failed, 1 could not be tested, not tested compared with nightly-0; exit code 3',
  );
  expect(textOfFiring(firing({ totals: totals(1, 2), verdict: 'not worse' }))).toBe(
    'nightly (nightly-1): 1 of 3 passed, 2 failed, accepted as the reference; exit code 0',
  );
  const reasons = ['worse since nightly-0 (2026-11-23): ...'];
  expect(textOfFiring(firing({ verdict: 'worse', compared_with: 'n', reasons, exit_code: 1 }))).toBe(
    'nightly (nightly-1): 2 of 2 passed, worse since nightly-0 (2026-11-23): ...; exit code 1',
  );
  expect(
    textOfFiring(firing({ sweep: null, status: 'not started', totals: null, reasons: ['no keys'], exit_code: 3 })),
  ).toBe('nightly: not started: no keys; exit code 3');
});

test.each([
  ['nightly-1', {}, 'reference'],
  ['nightly-0', { verdict: 'not shown' }, 'not shown to be worse, a loss begins'],
  ['nightly-0', { verdict: 'worse' }, 'worse, a loss begins'],
  ['nightly-0', { verdict: 'undecided' }, 'too few runs so far, a loss begins'],
  ['nightly-0', { exit_code: 130 }, 'exit code 130, a loss begins'],
  ['nightly-0', { exit_code: null, sweep: null }, ''],
] as const)('tables say of a night, with the reference %s and %j: %s', (reference, more, text) => {
  expect(nightText(firing(more), reference, new Set(['nightly-1']))).toBe(text);
});
