/** The largest number whose neighbours can be told apart, so that sums of counts are exact. */
const MOST = Number.MAX_SAFE_INTEGER;

/** True for a number of tokens or of other things: whole, not negative, and exact. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** True for an amount of US dollars: finite and not negative. */
export const isUsd = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= MOST;

/** Adds up counts; null if one is unknown, or the sum is too large to be one. */
export function sumOfCounts(counts: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const count of counts) {
    if (count === null) return null;
    sum += count;
  }
  return isCount(sum) ? sum : null;
}

/** Returns the mean of the known values; null if there are none. */
export function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Returns the median; null if there are no values. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
