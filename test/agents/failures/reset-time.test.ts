import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resetTime } from '../../../src/agents/failures/reset-time.js';

const NOW = Date.parse('2026-11-22T05:30:00Z'); // a Sunday; 06:30 in Berlin, 00:30 in New York
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (text: string, now = NOW, zone = 'UTC'): string | null => {
  const time = resetTime(text, now, zone);
  return time === null ? null : new Date(time).toISOString();
};
const after = (text: string): number | null => {
  const time = resetTime(text, NOW, 'UTC');
  return time === null ? null : time - NOW;
};

describe('an exact reset time', () => {
  it.each([
    ['Claude AI usage limit reached|1795332477', '2026-11-22T07:27:57.000Z'],
    ['{"error":{"type":"usage_limit_reached","resets_at":1795332477}}', '2026-11-22T07:27:57.000Z'],
    ['"resetsAt": 1795332477123', '2026-11-22T07:27:57.123Z'],
    ['resets_at: 2026-11-22T06:00:00Z', '2026-11-22T06:00:00.000Z'],
    ['resets_at: "2026-11-22T06:00:00.5+01:00"', null], // in the past
    ['Retry-After: Sun, 22 Nov 2026 05:45:00 GMT', '2026-11-22T05:45:00.000Z'],
  ])('%s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });
});

describe('a reset time given as a duration', () => {
  it.each([
    ['"resets_in_seconds":3600', HOUR],
    ['(retry-after: 30)', 30_000],
    ['"retry_after":1.5}', 1500],
    ['retry-after-ms: 500', 500],
    ['Please try again in 20s.', 20_000],
    ['Please try again in 6m0s. Visit https://x.test', 6 * MINUTE],
    ['Please try again in 250ms.', 250],
    ['Please retry in 32.5s.', 32_500],
    ['try again in 2 hours 3 minutes', 2 * HOUR + 4 * MINUTE],
    ['try again in 1 day 4 hours', DAY + 4 * HOUR + MINUTE],
    ['Try again in 6 days, 3 hours and 2 minutes.', 6 * DAY + 3 * HOUR + 3 * MINUTE],
    ["You've hit your fast limit · resets in 1h 5m", HOUR + 6 * MINUTE],
    ['retry after 5 seconds', 5000],
    ['wait 3 mins', 4 * MINUTE], // minutes may be rounded, so one is added
    ['You have hit your ChatGPT usage limit (plus plan). Try again in ~42 min.', 43 * MINUTE],
  ])('%s', (text, expected) => {
    expect(after(text)).toBe(expected);
  });
});

describe('a reset time given as a time of day', () => {
  it.each([
    ["You've hit your session limit · resets 3pm (Europe/Berlin)", '2026-11-22T14:01:00.000Z'],
    ["You've hit your session limit · resets 6am (Europe/Berlin)", null], // half an hour ago
    ["You've hit your session limit · resets 5am (Europe/Berlin)", '2026-11-23T04:01:00.000Z'],
    ["You've hit your session limit · resets 12am (America/New_York)", null],
    ['resets 12pm (America/New_York)', '2026-11-22T17:01:00.000Z'],
    ['resets 1:30am (Asia/Kolkata)', '2026-11-22T20:01:00.000Z'],
    ["You've hit your weekly limit · resets Nov 25, 3pm (UTC)", '2026-11-25T15:01:00.000Z'],
    ['resets Nov 25 at 3:30pm (Europe/Berlin)', '2026-11-25T14:31:00.000Z'],
    ['try again at Nov 25th, 2026 3:04 PM.', '2026-11-25T15:05:00.000Z'],
    ['resets at 15:00 UTC', '2026-11-22T15:01:00.000Z'],
    ['resets at 15:04:05 UTC', '2026-11-22T15:04:05.000Z'],
    ['or try again at 3:04 PM.', '2026-11-22T15:05:00.000Z'],
  ])('%s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it("is in the machine's time zone if none is given", () => {
    expect(at('try again at 3:04 PM', NOW, 'America/New_York')).toBe('2026-11-22T20:05:00.000Z');
    expect(at('try again at 3:04 PM', NOW, 'Asia/Tokyo')).toBe('2026-11-22T06:05:00.000Z');
  });

  it('respects the change between summer and winter time', () => {
    // Clocks in Berlin go back on 2026-10-25 at 01:00 UTC, and forward on 2026-03-29 at 01:00 UTC.
    expect(at('resets 9am (Europe/Berlin)', Date.parse('2026-10-24T20:00:00Z'))).toBe('2026-10-25T08:01:00.000Z');
    expect(at('resets 9am (Europe/Berlin)', Date.parse('2026-03-28T20:00:00Z'))).toBe('2026-03-29T07:01:00.000Z');
  });

  it('may be in the next month or year', () => {
    expect(at('resets 1am (UTC)', Date.parse('2026-12-31T20:00:00Z'))).toBe('2027-01-01T01:01:00.000Z');
    expect(at('resets Jan 2, 1am (UTC)', Date.parse('2026-12-31T20:00:00Z'))).toBe('2027-01-02T01:01:00.000Z');
  });

  it.each([
    ['You will regain access on 2027-03-01 at 00:00 UTC.', '2027-03-01T00:01:00.000Z'],
    ['your limit resets at 10:00 UTC on March 3, 2027', '2027-03-03T10:01:00.000Z'],
    ['resets 10am (UTC), 3 March 2027', '2027-03-03T10:01:00.000Z'],
    ['resets on 31 December 2026 at 3pm (UTC)', '2026-12-31T15:01:00.000Z'],
    ['resets Mar 1, 3pm (UTC)', '2027-03-01T15:01:00.000Z'],
    ['"resets_at":1830297600', '2028-01-01T00:00:00.000Z'],
    ['try again in 40 days', '2027-01-01T05:31:00.000Z'],
  ])('may be months away: %s', (text, expected) => {
    expect(at(text, Date.parse('2026-11-22T05:30:00Z'))).toBe(expected);
  });

  it('is the end of the given minute: a request at its beginning would be refused again', () => {
    const resets = Date.parse('2026-11-22T15:04:57Z'); // printed as 3:04 PM
    expect(resetTime('try again at 3:04 PM.', NOW, 'UTC')).toBeGreaterThanOrEqual(resets);
    expect(at('try again at 3:04 PM.', Date.parse('2026-11-22T15:04:05Z'))).toBe('2026-11-22T15:05:00.000Z');
  });

  it.each(['try again at 3:04 PM.', 'resets_at: 1795359899', 'resets_at: 2026-11-22T15:04:59Z'])(
    'is a minute from now if it has just passed: %s',
    (text) => {
      const now = Date.parse('2026-11-22T15:06:00Z');
      expect(resetTime(text, now, 'UTC')).toBe(now + MINUTE);
      expect(resetTime(text, now + 10 * MINUTE, 'UTC')).toBeNull();
    },
  );
});

describe('a text without a clear reset time', () => {
  it.each([
    '',
    'Overloaded',
    'try again later',
    'try again at 3',
    'try again in a while',
    'resets tomorrow',
    'resets at 10:00 tomorrow',
    'resets at 3pm on Friday',
    'resets at 10:00 on the 5th',
    'resets 10:00 UTC on 2027/03/01',
    'resets_at: 2026-13-45T00:00:00Z',
    'resets Feb 30, 2027, 3pm (UTC)',
    'resets 2026-13-01 10:00 UTC',
    'resets 3026-01-01 10:00 UTC', // no limit lasts that long
    'resets 25pm (UTC)',
    'resets 15:75 (UTC)',
    'resets 3pm (Middle/Earth)',
    'resets Nov 20, 3pm (UTC)', // in the past, and next year's is too far away
    'try again at Nov 20th, 2026 3:04 PM',
    'usage limit reached|1695332477', // in the past
    '"resets_in_seconds":99999999999',
    'retry-after: 0',
  ])('%s', (text) => {
    expect(at(text)).toBeNull();
  });

  it('never gives a time in the past, whatever the text', () => {
    const words = fc.constantFrom(
      'resets ',
      'try again at ',
      'in ',
      '3',
      ':04',
      ' pm',
      'Nov ',
      '25',
      ', ',
      '(UTC)',
      ' days',
      '|',
      '179533',
      'retry-after: ',
    );
    fc.assert(
      fc.property(fc.array(words), fc.integer({ min: 0, max: 4e12 }), (parts, now) => {
        const time = resetTime(parts.join(''), now, 'Europe/Berlin');
        expect(time === null || (time > now && time <= now + 3660 * DAY)).toBe(true);
      }),
    );
  });
});
