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
