import { clockTime } from './clock-time.js';

const DAY_MS = 86_400_000;
/** A later time was misread. */
const LONGEST_MS = 10 * 366 * DAY_MS;

const MINUTE_MS = 60_000;
/** A time that passed at most this long ago is valid: the limit is over, or will be when the clocks agree. */
const JUST_OVER_MS = 5 * MINUTE_MS;

const UNITS: Readonly<Record<string, number>> = { d: DAY_MS, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const AMOUNT = String.raw`(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|mins?|m|milliseconds?|ms|seconds?|secs?|s)(?![a-z])`;

/**
 * Returns a duration like "2 hours 3 minutes", "1d 4h" or "32.5s" in ms. Adds a minute if it has no seconds, because it
 * was cut to minutes (up to a minute less) or rounded (up to half a minute).
 */
function durationOf(text: string): number {
  const parts = [...text.matchAll(new RegExp(AMOUNT, 'gi'))].map(([, count, unit = '']) => ({
    count: Number(count),
    unit: /^m(illi)?s/i.test(unit) ? 'ms' : unit.slice(0, 1).toLowerCase(),
  }));
  const exact = parts.some(({ unit }) => unit === 's' || unit === 'ms');
  const total = parts.reduce((sum, { count, unit }) => sum + count * (UNITS[unit] ?? 0), 0);
  return exact ? total : total + MINUTE_MS;
}

const DURATION = String.raw`((?:${AMOUNT}[\s,]*(?:and\s+)?)+)`;

/** Returns null for a wait of 0, which says nothing. */
const later = (now: number, ms: number): number | null => (ms > 0 ? now + ms : null);

/** The ways to state a time, from exact to vague. The first match counts. */
const PATTERNS: readonly { text: RegExp; at: (time: string, now: number, zone?: string) => number | null }[] =
  [
    // "usage limit reached|1795332477", `"resets_at":1795332477`, in seconds or milliseconds
    {
      text: /(?:limit reached\||resets?_?at\W{1,4})(\d{10}|\d{13})\b/i,
      at: (time) => Number(time) * (time.length === 10 ? 1000 : 1),
    },
    {
      text: /(?:resets?_?at\W{1,4}|retry.?after\W{1,3}|(?:resets?|again|until|access|available)\s+(?:at\s+|on\s+)?)(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT)/i,
      at: (time) => Date.parse(time),
    },
    { text: /retry.?after.?ms\W{1,4}(\d+)\b/i, at: (time, now) => later(now, Number(time)) },
    {
      text: new RegExp(
        String.raw`(?:again|retry|retrying|resets?|available|wait)\s+(?:(?:in|after|for)\s+)?(?:about\s+|~\s*)?${DURATION}`,
        'i',
      ),
      at: (time, now) => now + durationOf(time),
    },
    {
      text: /(?:resets?_in_seconds|retry.?after)\W{1,4}(\d+(?:\.\d+)?)(?![\w-])/i,
      at: (time, now) => later(now, Number(time) * 1000),
    },
    { text: /(?:resets?|again|until|access|available)\s+(?:at\s+|on\s+)?(.{1,60})/i, at: clockTime },
  ];

/**
 * Returns when a provider says that it will serve again, in ms since the epoch. Null if it does not say, or not
 * reliably. A time of day without seconds means the end of that minute: agents drop the seconds, and an earlier request
 * would be rejected. A time that has just passed becomes a minute from now. A time of day without a zone is in `zone`,
 * by default the machine's.
 */
export function resetTime(text: string, now: number, zone?: string): number | null {
  for (const { text: pattern, at } of PATTERNS) {
    const time = [...text.matchAll(new RegExp(pattern, 'gi'))]
      .map(([, matched = '']) => at(matched, now, zone))
      .find((found) => found !== null && !Number.isNaN(found));
    if (time === undefined || time === null) continue;
    if (time - now > LONGEST_MS || now - time > JUST_OVER_MS) return null;
    // it has just passed: waits only a short time, but long enough for clocks that differ
    return time > now ? time : now + MINUTE_MS;
  }
  return null;
}
