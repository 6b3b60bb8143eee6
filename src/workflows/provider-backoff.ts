import { runLimitsIn } from '#lib/pure';
import type { AgentSummary } from '#protocol';

export type RetryHint = NonNullable<AgentSummary['again']>;

const LONGEST_WAIT_MS = 5 * 60_000;
/**
 * With waits of 5 s (`providerWaitMs`) to 5 min, this adds up to ten minutes plus the runs themselves. Anything longer
 * is an outage.
 */
const BUSY_RUNS = 8;
/** If it is unknown when a limit resets, the agent is run again every quarter of an hour. */
const UNKNOWN_RESET_MS = 15 * 60_000;
/** The longest known limits last a week. */
const LONGEST_RESET_MS = 8 * 24 * 3600_000;
const MAX_LIMITED_RUNS = 50;

/**
 * Number of latest runs in a row that ended for the same reason: an overload after a week of limits counts as a new
 * one.
 */
export const consecutiveSameReason = (reasons: readonly RetryHint['why'][]): number =>
  reasons.length - 1 - reasons.findLastIndex((reason) => reason !== reasons.at(-1));

/**
 * Returns how long to wait before the agent is run again after `nth` runs in a row with the same reason, ms; null if it
 * is not worth waiting. `now`: ms since the epoch.
 */
export function backoffMs(
  { why, at }: RetryHint,
  nth: number,
  now: number,
  { providerWaitMs } = runLimitsIn({}),
): number | null {
  switch (why) {
    case 'busy': {
      if (nth >= BUSY_RUNS) return null;
      const growing = Math.min(providerWaitMs * 2 ** (nth - 1), LONGEST_WAIT_MS);
      return at === null ? growing : Math.min(Math.max(at - now, growing), LONGEST_WAIT_MS);
    }
    case 'limit': {
      if (nth >= MAX_LIMITED_RUNS || (at !== null && at - now > LONGEST_RESET_MS)) return null;
      // Clocks differ, and a request at the exact second may be rejected once more.
      return at === null ? UNKNOWN_RESET_MS : Math.max(at - now, 0) + providerWaitMs;
    }
  }
}
