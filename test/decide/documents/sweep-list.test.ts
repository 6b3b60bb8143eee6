import { describe, expect, test } from 'vitest';
import type { ResultLine } from '../../../src/model/records/result-line.js';
import { summarizeSweeps, type SweepSummary, toSummarize } from '../../../src/decide/documents/sweep-list.js';
import { resultLine } from '../../store/sample.js';

const CELL = {
  id: 'notes/mock/default/default/1',
  scenario: 'notes',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
};

/** The result of a run that began a minute after the sweep, and took half a minute. */
const result = (change: Partial<ResultLine> = {}): ResultLine =>
  resultLine({
    sweep: 's',
    cell: CELL.id,
    timestamp: '2026-01-01T00:01:00.000Z',
    duration_secs: 30,
    ...change,
  });

const listed = (status: SweepSummary['status'], line: ResultLine): SweepSummary | undefined =>
  summarizeSweeps(
    [{ id: 's', started: '2026-01-01T00:00:00.000Z', status, cells: [CELL], needsAll: true }],
    [toSummarize(line)],
  )[0];

describe('the duration of a sweep in the list', () => {
  test.each(['completed', 'cancelled'] as const)(
    'is the time from its start to the end of its last run: %s',
    (status) => {
      expect(listed(status, result())?.duration_secs).toBe(90);
    },
  );

  test('is not known while it is open, or if it has reused all its results', () => {
    expect(listed('open', result())?.duration_secs).toBeNull();
    expect(listed('completed', result({ cached_from: 'run-1' }))?.duration_secs).toBeNull();
  });
});
