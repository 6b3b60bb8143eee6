const FIRST_MS = 200;

/** Counts failed attempts in a row, and decides when the next attempt is due. */
export interface BackOff {
  isDue: () => boolean;
  fail: () => void;
  succeed: () => void;
  /**
   * The number of failures in a row, and the time of the first (ms since the epoch); null if the last one succeeded.
   */
  failing: () => { times: number; since: number } | null;
}

/**
 * Delays attempts by 200 ms after the first failure, then twice as long after each, up to `longestMs`. Never gives up.
 */
export function createBackOff(longestMs: number, now = () => Date.now()): BackOff {
  let times = 0;
  let since = 0;
  let dueAt = 0;
  return {
    isDue: () => now() >= dueAt,
    fail() {
      if (times === 0) since = now();
      dueAt = now() + Math.min(FIRST_MS * 2 ** times, longestMs);
      times += 1;
    },
    succeed() {
      times = 0;
      dueAt = 0;
    },
    failing: () => (times === 0 ? null : { times, since }),
  };
}
