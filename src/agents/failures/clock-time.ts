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
 * since the epoch. It is the next such moment, or the last one if that is at most an hour ago. Null if the text does not
 * begin with a time or a date. A date alone means its first minute. Without seconds, it is the end of that minute. Without
 * a zone, it is in `zone`, by default the machine's.
 */
export function clockTime(text: string, now: number, zone?: string): number | null {
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
    const there =
      place ?? (utc === undefined ? zone : 'UTC') ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const today = wallAt(now, there);
    if (date === null) {
      const at = momentOf({ ...today, ...time }, there);
      // if the time has just passed, waiting until tomorrow would be a long wait for nothing
      return now - at <= HOUR_MS ? at : momentOf({ ...today, ...time, day: today.day + 1 }, there);
    }
    const { year, ...day } = date;
    const at = momentOf({ ...day, ...time, year: year ?? today.year }, there);
    // A day in January, stated in December. One that passed only days ago is not the one of the next year.
    return year !== null || now - at <= LONG_AGO_MS
      ? at
      : momentOf({ ...day, ...time, year: today.year + 1 }, there);
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
  if (isoYear !== undefined)
    return { year: Number(isoYear), month: Number(isoMonth) - 1, day: Number(isoDay) };
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
  // a number alone is not a time
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
  // twice, because the offset at the moment found first may differ, if summer time begins or ends in between
  const near = shown - offset(shown);
  return shown - offset(near);
}
