import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCronTime, isTimezone, parseCron, type CronTimes } from '../../src/lib/cron.js';

const timesOf = (text: string): CronTimes => {
  const parsed = parseCron(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.times;
};
const messageOf = (text: string): string => {
  const parsed = parseCron(text);
  return parsed.ok ? 'valid' : parsed.message;
};
const isTime = (cron: string, time: string, timezone = 'UTC'): boolean =>
  isCronTime(timesOf(cron), timezone, Date.parse(time));

describe('parseCron', () => {
  test('reads numbers, ranges, lists, steps and names', () => {
    expect(timesOf('*/20 8-18/5 1,15 jan,DEC mon-fri')).toEqual({
      minutes: [0, 20, 40],
      hours: [8, 13, 18],
      daysOfMonth: [1, 15],
      months: [1, 12],
      daysOfWeek: [1, 2, 3, 4, 5],
      eitherDay: true,
    });
    expect(timesOf(' 0  3 * * 7 ')).toMatchObject({
      minutes: [0],
      hours: [3],
      daysOfWeek: [0],
      eitherDay: false,
    });
  });

  test.each([
    ['0 3 * *', 'expected 5 fields'],
    ['@daily', 'expected 5 fields'],
    ['60 3 * * *', "minute '60': expected *, a number from 0 to 59"],
    ['0 24 * * *', "hour '24': expected *, a number from 0 to 23"],
    ['0 3 0 * *', "day of the month '0'"],
    ['0 3 * 13 *', "month '13': expected *, a number from 1 to 12 or a name such as feb"],
    ['0 3 * * mo', "day of the week 'mo': expected *, a number from 0 to 7 or a name such as mon"],
    ['0 9-8 * * *', "hour '9-8'"],
    ['5/10 3 * * *', "minute '5/10'"],
    ['*/0 3 * * *', "minute '*/0'"],
    ['1,,2 3 * * *', "minute '1,,2'"],
    ['0 3 30 2 *', 'no month that it names has a day 30'],
    ['0 3 1-2-3 * *', "day of the month '1-2-3'"],
  ])('says what is wrong with %s', (text, message) => {
    expect(messageOf(text)).toContain(message);
  });

  test('never throws, and finds only values in range', () => {
    const part = fc.stringMatching(/^[-*\/,0-9a-z]{1,6}$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 4, maxLength: 6 }), (parts) => {
        const parsed = parseCron(parts.join(' '));
        if (!parsed.ok) return;
        const { minutes, hours, daysOfMonth, months, daysOfWeek } = parsed.times;
        const ranges = [
          [minutes, 0, 59],
          [hours, 0, 23],
          [daysOfMonth, 1, 31],
          [months, 1, 12],
          [daysOfWeek, 0, 6],
        ] as const;
        for (const [values, from, to] of ranges) {
          expect(values.length).toBeGreaterThan(0);
          expect(values.every((value) => value >= from && value <= to)).toBe(true);
          expect([...values]).toEqual([...new Set(values)].sort((a, b) => a - b));
        }
      }),
    );
  });
});

describe('isCronTime', () => {
  test('knows the time zone, also when clocks change', () => {
    expect(isTime('0 3 * * *', '2026-11-24T02:00:00Z', 'Europe/Berlin')).toBe(true);
    expect(isTime('0 3 * * *', '2026-11-24T03:00:00Z', 'Europe/Berlin')).toBe(false);
    expect(isTime('0 3 * * *', '2026-07-24T01:00:00Z', 'Europe/Berlin')).toBe(true);
    expect(isTime('0 3 * * *', '2026-11-24T03:00:30Z')).toBe(false);
  });

  test('counts either kind of day if both are restricted, as cron does', () => {
    // A Tuesday.
    expect(isTime('0 3 1 * tue', '2026-11-24T03:00:00Z')).toBe(true);
    expect(isTime('0 3 24 * mon', '2026-11-24T03:00:00Z')).toBe(true);
    expect(isTime('0 3 1 * mon', '2026-11-24T03:00:00Z')).toBe(false);
    expect(isTime('0 3 */2 * tue', '2026-11-24T03:00:00Z')).toBe(false);
  });

  test('finds exactly the minute that names all fields of a moment', () => {
    const minute = fc.integer({ min: 0, max: 100 * 366 * 24 * 60 });
    fc.assert(
      fc.property(minute, minute, (one, other) => {
        const at = new Date(one * 60_000);
        const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
        expect(isCronTime(timesOf(cron), 'UTC', at.getTime())).toBe(true);
        const same = new Date(other * 60_000).toISOString().slice(5, 16) === at.toISOString().slice(5, 16);
        expect(isCronTime(timesOf(cron), 'UTC', other * 60_000)).toBe(same);
      }),
    );
  });
});

test('isTimezone knows names, but no offsets', () => {
  expect(['Europe/Berlin', 'UTC', 'Europe/Berlim', '+01:00', ''].map(isTimezone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
