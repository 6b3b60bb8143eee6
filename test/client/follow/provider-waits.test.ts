import { expect, test } from 'vitest';
import { parkedIn, waitsOf } from '../../../src/client/follow/progress.js';
import { explainedWait, waitText } from '../../../src/reports/sweep/live-frame.js';
import type { SweepProgress } from '../../../src/protocol/index.js';

const NOW = new Date(2026, 0, 2, 13, 0).getTime();
const at = (hour: number, minute: number, day = 2): number => new Date(2026, 0, day, hour, minute).getTime();

const progress = (change: object = {}): SweepProgress => ({
  status: 'running',
  active: [],
  total: 3,
  counts: { pass: 0, fail: 0, error: 0, cancelled: 0 },
  ...change,
});

test('a wait names provider and time, and the date if it is a day or more away', () => {
  expect(waitText({ provider: 'anthropic', until: at(14, 5) }, NOW)).toBe('waiting for anthropic until 14:05');
  expect(waitText({ until: at(9, 30, 8) }, NOW)).toBe('waiting for its provider until 2026-01-08 09:30');
});

test('a wait for a provider that is unknown says why, with what is not set and the address', () => {
  const message = 'its provider was busy or unavailable: model TEXT_LARGE (not set: OPENAI_API_KEY): failed';
  const parked = [{ cell: 'a', workflowId: 'w/a', until: at(14, 0), message }];
  expect(waitsOf(progress({ parked })).map((wait) => explainedWait(wait, NOW))).toEqual([
    `waiting for its provider until 14:00 (${message})`,
  ]);
  const known = [{ ...parked[0], provider: 'openai' }];
  expect(waitsOf(progress({ parked: known })).map((wait) => explainedWait(wait, NOW))).toEqual([
    'waiting for openai until 14:00',
  ]);
});

test('names a provider that several runs wait for once, with the latest time', () => {
  const parked = [
    { cell: 'a', workflowId: 'w/a', until: at(14, 0), provider: 'openai' },
    { cell: 'b', workflowId: 'w/b', until: at(15, 0), provider: 'openai' },
  ];
  const limits = [{ provider: 'anthropic', until: at(16, 0) }];
  expect(waitsOf(progress({ parked, limits }))).toEqual([
    { provider: 'anthropic', until: at(16, 0) },
    { provider: 'openai', until: at(15, 0) },
  ]);
});

test('a sweep without waiting runs has no waits', () => {
  expect([parkedIn(progress()), waitsOf(progress())]).toEqual([[], []]);
});
