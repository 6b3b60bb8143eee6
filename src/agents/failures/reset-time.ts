const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const LONG_AGO_MS = 35 * 24 * HOUR_MS;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const ISO_DATE = String.raw`(?<isoYear>\d{4})-(?<isoMonth>\d\d)-(?<isoDay>\d\d)(?!\d)`;
const DAY_OF_MONTH = String.raw`(?<month>${MONTHS.join('|')})[a-z]*\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(?<year>\d{4})(?!\d))?`;
const DAY_FIRST = String.raw`(?<firstDay>\d{1,2})(?:st|nd|rd|th)?\s+(?<firstMonth>${MONTHS.join('|')})[a-z]*\.?(?:,?\s+(?<firstYear>\d{4})(?!\d))?`;
const SOME_DATE = `(?:${ISO_DATE}|${DAY_OF_MONTH}|${DAY_FIRST})`;
const DATE = String.raw`(?:${SOME_DATE}(?:T|,?\s+)?(?:at\s+)?)?`;
const TIME = String.raw`(?:(?<hour>\d{1,2})(?::(?<minute>\d\d)(?::(?<second>\d\d))?)?\s*(?<half>[ap]\.?m\b)?)?`;
const ZONE = String.raw`(?:\.?\s*\((?<place>[^)]+)\)|\s*(?<utc>UTC|GMT|Z)\b)?`;
const PATTERN = new RegExp(`^${DATE}${TIME}${ZONE}`, 'i');
/** A date after the time, as in "10:00 UTC on March 3, 2027". */
const DATE_AFTER = new RegExp(String.raw`^,?\s*(?:on\s+)?(?:the\s+)?${SOME_DATE}`, 'i');
/** Words for a day that is not read. */
const OTHER_DAY = /^,?\s*(?:on\b|tomorrow\b|next\b|\d|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b)/i;

/** A moment as the clocks of some time zone show it. Months count from 0. */
interface Wall {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/**
 * Returns the moment that "3pm (Europe/Berlin)", "15:04", "Nov 25, 3pm (UTC)" or "2026-12-01 at 00:00 UTC" means, in ms
 * since the epoch. It is the next such moment, or the last one if that is at most an hour ago. Null if the text does
 * not begin with a time or a date. A date alone means its first minute. Without seconds, it is the end of that minute.
 * Without a zone, it is in `zone`, by default the machine's.
 */
function clockTime(text: string, now: number, zone?: string): number | null {
  const found = PATTERN.exec(text);
  const fields = found?.groups;
  const time = fields === undefined ? null : timeOfDay(fields);
  if (found === null || fields === undefined || time === null) return null;
  const { place, utc, second } = fields;
  const after = text.slice(found[0].length);
  const date = dateOf(fields) ?? dateOf(DATE_AFTER.exec(after)?.groups ?? {});
  if (date === null ? OTHER_DAY.test(after) : !isDay(date)) return null;
  const rest = second === undefined ? MINUTE_MS : Number(second) * 1000;
  const momentOf = (wall: Wall, there: string): number => instantOf(wall, there) + rest;
  try {
    const there = place ?? (utc === undefined ? zone : 'UTC') ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const today = wallAt(now, there);
    if (date === null) {
      const at = momentOf({ ...today, ...time }, there);
      // If the time has just passed, waiting until tomorrow would be a long wait for nothing.
      return now - at <= HOUR_MS ? at : momentOf({ ...today, ...time, day: today.day + 1 }, there);
    }
    const { year, ...day } = date;
    const at = momentOf({ ...day, ...time, year: year ?? today.year }, there);
    // A day in January, stated in December. One that passed only days ago is not the one of the next year.
    return year !== null || now - at <= LONG_AGO_MS ? at : momentOf({ ...day, ...time, year: today.year + 1 }, there);
  } catch (error) {
    if (error instanceof RangeError) return null; // no such time zone
    throw error;
  }
}

/** `year`: null if the text names none. Months count from 0. */
interface Day {
  year: number | null;
  month: number;
  day: number;
}

/** False for the 30th of February. */
const isDay = ({ year, month, day }: Day): boolean =>
  new Date(Date.UTC(year ?? 2028, month, day)).getUTCDate() === day && month < 12;

type Groups = Record<string, string | undefined>;

/** Null if the text names no date. */
function dateOf(groups: Groups): Day | null {
  const { isoYear, isoMonth, isoDay, firstDay, firstMonth, firstYear } = groups;
  const { day = firstDay, month = firstMonth, year = firstYear } = groups;
  if (isoYear !== undefined) return { year: Number(isoYear), month: Number(isoMonth) - 1, day: Number(isoDay) };
  if (month === undefined) return null;
  return {
    year: year === undefined ? null : Number(year),
    month: MONTHS.indexOf(month.toLowerCase()),
    day: Number(day),
  };
}

function timeOfDay({ hour, minute, half, ...date }: Groups): Pick<Wall, 'hour' | 'minute'> | null {
  if (hour === undefined) return dateOf(date) === null ? null : { hour: 0, minute: 0 };
  const [hours, minutes] = [Number(hour), Number(minute ?? 0)];
  if (minutes > 59) return null;
  // A number alone is not a time.
  if (half === undefined) return minute === undefined || hours > 23 ? null : { hour: hours, minute: minutes };
  if (hours < 1 || hours > 12) return null;
  return { hour: (hours % 12) + (/^p/i.test(half) ? 12 : 0), minute: minutes };
}

/** Returns what the clocks of a time zone show at a moment. */
function wallAt(at: number, zone: string): Wall {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
  return { year, month: month - 1, day, hour, minute };
}

const asUtc = ({ year, month, day, hour, minute }: Wall): number => Date.UTC(year, month, day, hour, minute);

/** Returns the moment at which the clocks of a time zone show this. */
function instantOf(wall: Wall, zone: string): number {
  const shown = asUtc(wall);
  const offset = (at: number): number => asUtc(wallAt(at, zone)) - at;
  // Twice, because the offset at the moment found first may differ, if summer time begins or ends in between.
  const near = shown - offset(shown);
  return shown - offset(near);
}

const DAY_MS = 86_400_000;
/** A later time was misread. */
const LONGEST_MS = 10 * 366 * DAY_MS;

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
const PATTERNS: readonly { text: RegExp; at: (time: string, now: number, zone?: string) => number | null }[] = [
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
    // It has just passed: waits only a short time, but long enough for clocks that differ.
    return time > now ? time : now + MINUTE_MS;
  }
  return null;
}
