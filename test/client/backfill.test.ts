import { expect, test } from 'vitest';
import { timesBetween } from '../../src/client/schedules/backfill.js';

const at = (text: string): number => Date.parse(text);
const times = (...args: Parameters<typeof timesBetween>): string[] =>
  timesBetween(...args).map((time) => new Date(time).toISOString().slice(0, 16));

test.each([
  [
    'an interval, which counts from 00:00 UTC, without the start and with the end',
    { every_secs: 6 * 3600 },
    ['2026-11-24T06:00', '2026-11-24T12:00'],
  ],
  [
    'cron in a time zone',
    { cron: '30 7,9 * * *', timezone: 'Europe/Berlin' },
    ['2026-11-24T06:30', '2026-11-24T08:30'],
  ],
])('the times of %s', (_, when, found) => {
  expect(times(when, at('2026-11-24T00:00Z'), at('2026-11-24T12:00Z'))).toEqual(found);
});
