import { clockTime } from './clock-time.js';

const DAY_MS = 86_400_000;
/** No limit lasts longer than its month: what is said to is misread. */
const LONGEST_MS = 35 * DAY_MS;

const UNITS: Readonly<Record<string, number>> = { d: DAY_MS, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const AMOUNT = String.raw`(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|mins?|m|milliseconds?|ms|seconds?|secs?|s)(?![a-z])`;

/** "2 hours 3 minutes", "1d 4h", "32.5s" in ms. */
function durationOf(text: string): number {
  const parts = [...text.matchAll(new RegExp(AMOUNT, 'gi'))];
  return parts.reduce((sum, [, count, unit = '']) => {
    const name = /^m(illi)?s/i.test(unit) ? 'ms' : unit.slice(0, 1).toLowerCase();
    return sum + Number(count) * (UNITS[name] ?? 0);
  }, 0);
}

const DURATION = String.raw`((?:${AMOUNT}[\s,]*(?:and\s+)?)+)`;

/** The ways to say it, from the exact to the vague. The first that fits counts. */
const SAID: readonly { text: RegExp; at: (said: string, now: number, zone?: string) => number | null }[] = [
  // "usage limit reached|1795332477", `"resets_at":1795332477`, in seconds or milliseconds
  {
    text: /(?:limit reached\||resets?_?at\W{1,4})(\d{10}|\d{13})\b/i,
    at: (said) => Number(said) * (said.length === 10 ? 1000 : 1),
  },
  {
    text: /(?:resets?_?at\W{1,4}|retry.?after\W{1,3})(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT)/i,
    at: (said) => Date.parse(said),
  },
  { text: /retry.?after.?ms\W{1,4}(\d+)\b/i, at: (said, now) => now + Number(said) },
  {
    text: new RegExp(
      String.raw`(?:again|retry|retrying|resets?|available|wait)\s+(?:(?:in|after|for)\s+)?(?:about\s+)?${DURATION}`,
      'i',
    ),
    at: (said, now) => now + durationOf(said),
  },
  {
    text: /(?:resets?_in_seconds|retry.?after)\W{1,4}(\d+(?:\.\d+)?)(?![\w-])/i,
    at: (said, now) => now + Number(said) * 1000,
  },
  { text: /(?:resets?|again|until)\s+(?:at\s+|on\s+)?(.{1,60})/i, at: clockTime },
];

/**
 * When a provider says that it will serve again, in ms since the epoch; null where it does not say, or not for sure.
 * A time of day without a zone is one of `zone`, the machine's own.
 */
export function resetTime(text: string, now: number, zone?: string): number | null {
  for (const { text: pattern, at } of SAID) {
    const said = pattern.exec(text)?.[1];
    if (said === undefined) continue;
    const time = at(said, now, zone);
    return time !== null && time > now && time - now <= LONGEST_MS ? time : null;
  }
  return null;
}
