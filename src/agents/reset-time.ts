/** When a provider says it will serve again, in ms since the epoch; null where it does not say. */
export function resetTime(text: string, now: number): number | null {
  const epoch = /limit reached\|(\d{10})\b/.exec(text)?.[1];
  if (epoch !== undefined) return Number(epoch) * 1000;
  const seconds = /(?:resets_in_seconds|retry.?after)\D{0,4}(\d+(?:\.\d+)?)/i.exec(text)?.[1];
  return seconds === undefined ? null : now + Number(seconds) * 1000;
}
