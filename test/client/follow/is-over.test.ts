import { expect, test } from 'vitest';
import { hasRunEnded } from '../../../src/client/follow/progress.js';

const since = Date.parse('2026-01-02T13:00:00.000Z');
const result = (timestamp: string) => ({ timestamp });

test('a result later than the start of the run is its own; an earlier one belongs to a previous run', () => {
  const run = { cell: 'a', workflowId: 'sweep/s/a/r2', since };
  expect(hasRunEnded(run, undefined)).toBe(false);
  expect(hasRunEnded(run, result('2026-01-02T12:59:59.000Z'))).toBe(false);
  expect(hasRunEnded(run, result('2026-01-02T13:00:00.200Z'))).toBe(true);
});
