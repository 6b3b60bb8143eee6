import type { CronTimes } from './parse-cron.js';

/** Whether a moment (ms since the epoch) is one of the times of a cron expression, which are whole minutes. */
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
    ...{ timeZone: timezone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  } as const);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const [year = 0, month = 0, day = 0] = [parts.get('year'), parts.get('month'), parts.get('day')];
  return {
    ...{ month, day, hour: parts.get('hour') ?? -1, minute: parts.get('minute') ?? -1 },
    weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay(),
  };
}

/** Whether this computer knows a time zone, such as `Europe/Berlin`. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    // offsets such as +01:00 are known here, but not to the Temporal server
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
