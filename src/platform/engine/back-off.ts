const FIRST_MS = 200;
const LONGEST_MS = 15_000;

/** Failed attempts in a row, and when the next one is due. */
export interface BackOff {
  isDue: () => boolean;
  fail: () => void;
  succeed: () => void;
  /** How often it has failed in a row, and since when (ms since the epoch); null while it has not. */
  failing: () => { times: number; since: number } | null;
}

/** Attempts at first follow each other closely, and at last every quarter of a minute, for ever. */
export function createBackOff(now = () => Date.now()): BackOff {
  let times = 0;
  let since = 0;
  let dueAt = 0;
  return {
    isDue: () => now() >= dueAt,
    fail() {
      if (times === 0) since = now();
      dueAt = now() + Math.min(FIRST_MS * 2 ** times, LONGEST_MS);
      times += 1;
    },
    succeed() {
      times = 0;
      dueAt = 0;
    },
    failing: () => (times === 0 ? null : { times, since }),
  };
}
