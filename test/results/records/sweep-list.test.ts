import { describe, expect, test } from 'vitest';
import { resultWithoutRun, type ResultLine } from '../../../src/results/records/result-line.js';
import { summarizeSweeps, type SweepSummary } from '../../../src/results/records/sweep-list.js';

const CELL = {
  ...{ id: 'notes/mock/default/default/1', scenario: 'notes', agent: 'mock', model: 'default' },
  ...{ variant: 'default', repetition: 1 },
};

/** A result of the cell, which the sweep began a minute after its own start. */
const result = (change: Partial<ResultLine>): ResultLine => ({
  ...resultWithoutRun(CELL, {
    ...{ sweep: 's', scenario_hash: 'h', timestamp: '2026-01-01T00:01:00.000Z' },
    ...{ outcome: 'pass', message: '' },
  }),
  ...change,
});

const listed = (status: SweepSummary['status'], line: ResultLine): SweepSummary | undefined =>
  summarizeSweeps(
    [{ id: 's', started: '2026-01-01T00:00:00.000Z', status, cells: [CELL], needsAll: true }],
    [line],
  )[0];

describe('the duration of a sweep in the list', () => {
  test.each(['completed', 'cancelled'] as const)(
    'is the time from its start to the end of its last run: %s',
    (status) => {
      expect(listed(status, result({ duration_secs: 30 }))?.duration_secs).toBe(90);
    },
  );

  test('is not known while it is open, or if it has reused all its results', () => {
    expect(listed('open', result({ duration_secs: 30 }))?.duration_secs).toBeNull();
    expect(
      listed('completed', result({ duration_secs: 30, cached_from: 'run-1' }))?.duration_secs,
    ).toBeNull();
  });
});
