/** True if a moment (ms since the epoch) is one of the times of a cron expression, which are whole minutes. */
export function isCronTime(times: CronTimes, timezone: string, at: number): boolean {
  if (at % 60_000 !== 0) return false;
  const { minute, hour, day, month, weekday } = localTime(at, timezone);
  const isDay = [times.daysOfMonth.includes(day), times.daysOfWeek.includes(weekday)];
  return (
    times.minutes.includes(minute) &&
    times.hours.includes(hour) &&
    times.months.includes(month) &&
    (times.eitherDay ? isDay.some(Boolean) : isDay.every(Boolean))
  );
}

interface LocalTime {
  minute: number;
  hour: number;
  day: number;
  /** From 1. */
  month: number;
  /** From 0, Sunday. */
  weekday: number;
}

function localTime(at: number, timezone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const [year = 0, month = 0, day = 0] = [parts.get('year'), parts.get('month'), parts.get('day')];
  return {
    month,
    day,
    hour: parts.get('hour') ?? -1,
    minute: parts.get('minute') ?? -1,
    weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay(),
  };
}

/** True if this computer knows a time zone, such as `Europe/Berlin`. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    // Offsets such as +01:00 are known here, but not to the Temporal server.
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** The times of a cron expression. Each list is sorted and has no duplicates. */
export interface CronTimes {
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: readonly number[];
  /** From 1. */
  months: readonly number[];
  /** From 0, Sunday. */
  daysOfWeek: readonly number[];
  /** If both kinds of days are restricted, as in `0 3 1 * mon`, a day of either kind counts, as in cron. */
  eitherDay: boolean;
}

export type ParsedCron = { ok: true; times: CronTimes } | { ok: false; message: string };

interface Field {
  what: string;
  from: number;
  to: number;
  names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS = [
  { what: 'minute', from: 0, to: 59 },
  { what: 'hour', from: 0, to: 23 },
  { what: 'day of the month', from: 1, to: 31 },
  { what: 'month', from: 1, to: 12, names: MONTHS },
  // 7 is Sunday too
  { what: 'day of the week', from: 0, to: 7, names: DAYS },
] as const satisfies readonly Field[];

/** The days that the longest month of a year has, by month from 1. */
const LONGEST = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Parses the five fields of a cron expression: minute, hour, day of the month, month, day of the week. */
export function parseCron(text: string): ParsedCron {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length)
    return {
      ok: false,
      message: `expected 5 fields (minute, hour, day of the month, month, day of the week), e.g. "0 3 * * *"`,
    };
  const values: number[][] = [];
  for (const [at, field] of FIELDS.entries()) {
    const read = readField(parts[at] ?? '', field);
    if (typeof read === 'string') return { ok: false, message: read };
    values.push(read);
  }
  const [minutes = [], hours = [], daysOfMonth = [], months = [], weekdays = []] = values;
  const isAny = (at: number): boolean => parts[at]?.startsWith('*') === true;
  const eitherDay = !isAny(2) && !isAny(4);
  const first = daysOfMonth[0] ?? 1;
  if (!eitherDay && months.every((month) => first > (LONGEST[month] ?? 0)))
    return { ok: false, message: `no month that it names has a day ${first}` };
  const daysOfWeek = sorted(weekdays.map((day) => day % 7));
  return { ok: true, times: { minutes, hours, daysOfMonth, months, daysOfWeek, eitherDay } };
}

const sorted = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);

/** Returns the values of a field, or what is wrong with it. */
function readField(text: string, field: Field): number[] | string {
  const all: number[] = [];
  for (const item of text.split(',')) {
    const read = readItem(item, field);
    if (read === null) return `${field.what} '${text}': expected ${expected(field)}`;
    all.push(...read);
  }
  return sorted(all);
}

const expected = ({ from, to, names }: Field): string =>
  `*, a number from ${from} to ${to}${names === undefined ? '' : ` or a name such as ${names[1] ?? ''}`}, a range a-b, or a list of them; /n after * or a range means every nth`;

/** Returns the values of `*`, `5`, `1-5`, `*` with `/15`, or `8-18/2`; null if the text is none of these. */
function readItem(text: string, field: Field): number[] | null {
  const [, range = '', step] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const [low = '', high = low] = range === '*' ? [`${field.from}`, `${field.to}`] : range.split('-');
  const [from, to] = [readValue(low, field), readValue(high, field)];
  const isSingle = range !== '*' && !range.includes('-');
  const every = Number(step ?? 1);
  if (from === null || to === null || from > to || every === 0) return null;
  if (range.split('-').length > 2 || (isSingle && step !== undefined)) return null;
  return Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, index) => from + index * every);
}

function readValue(text: string, { from, to, names = [] }: Field): number | null {
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return named + (from === 1 ? 1 : 0);
  const value = Number(text);
  return /^\d{1,2}$/.test(text) && value >= from && value <= to ? value : null;
}
