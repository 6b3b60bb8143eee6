import { predictsCost } from '#decide';
import type { ResultLine } from '#model';
import type { RunResult } from '#protocol';

/** Returns what a run's workflow tells its sweep about a result. */
export function resultOfLine(line: ResultLine): RunResult {
  const { outcome, message, cost_usd, cost_usd_at_least = 0, regraded_from } = line;
  // The work that was checked has been paid for before.
  if (regraded_from !== undefined) return { outcome, message, costUsd: regraded_from.paid_usd };
  return cost_usd === null || !predictsCost(line)
    ? { outcome, message, costUsd: null, knownUsd: cost_usd ?? cost_usd_at_least }
    : { outcome, message, costUsd: cost_usd };
}
