/** Formats a size: "312 B", "4.2 kB", "18 MB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = '';
  // Rounded before it is compared, so that "1000 kB" never appears.
  while (Math.round(value) >= 1000 && units.length > 0) {
    value /= 1000;
    unit = units.shift() ?? unit;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** Rounds US dollars to nine digits, which removes the rounding errors of binary fractions. */
export const dollars = (usd: number): number => Number(usd.toFixed(9));

/** Formats US dollars, with more digits for small amounts; "n/a" if the cost is unknown. */
export function formatCost(usd: number | null): string {
  if (usd === null) return 'n/a';
  if (usd > 0 && usd < 0.0001) return '<$0.0001';
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}

/** Formats a cost, or its known part: "at least $0.0240". */
export const formatKnownCost = (usd: number | null, atLeast?: number, words = 'at least '): string =>
  usd === null && atLeast !== undefined ? `${words}${formatCost(atLeast)}` : formatCost(usd);

/** Formats the same for a column: ">$0.0240". */
export const shortKnownCost = (usd: number | null, atLeast?: number): string => formatKnownCost(usd, atLeast, '>');

/** Formats a duration: "850 ms", "4.2 s", "3m 42s", "1h 05m". A negative one (the clock was set back) counts as 0. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  // Each unit is rounded before it is compared, so that "60.0 s" or "59m 60s" never appear.
  const tenths = Math.round(whole / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(whole / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${twoDigits(seconds % 60)}s`;
  const minutes = Math.round(whole / 60_000);
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Returns the milliseconds of "30d", "12h", "90m" or "2w"; null for any other text. */
export function parseAge(text: string): number | null {
  const match = /^(\d{1,6})([mhdw])$/.exec(text.trim());
  return match === null ? null : Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
}

/** Formats how long ago something was, in one unit: "just now", "4m ago", "3h ago", "12d ago". */
export function formatAge(ms: number): string {
  if (ms < UNITS.m) return 'just now';
  if (ms < UNITS.h) return `${Math.floor(ms / UNITS.m)}m ago`;
  if (ms < 2 * UNITS.d) return `${Math.floor(ms / UNITS.h)}h ago`;
  return `${Math.floor(ms / UNITS.d)}d ago`;
}

/** Formats an estimated duration without false precision: "about 40 s", "about 9 min", "about 2 h 10 min". */
export function formatAbout(secs: number): string {
  const tens = Math.max(1, Math.ceil(secs / 10));
  if (tens < 9) return `about ${tens * 10} s`;
  const minutes = Math.max(2, Math.round(secs / 60));
  if (minutes < 60) return `about ${minutes} min`;
  const tenMinutes = Math.round(minutes / 10);
  const [hours, rest] = [Math.floor(tenMinutes / 6), (tenMinutes % 6) * 10];
  return `about ${hours} h${rest === 0 || hours >= 10 ? '' : ` ${rest} min`}`;
}

/** Formats a number of things: `1 run`, `2 runs`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
