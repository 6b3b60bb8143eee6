import type { Metrics } from '#engine';
import type { ResultLine } from '#model';

/** Counts a cell that got this result, and what was spent on it. */
export function countCell(metrics: Metrics | undefined, line: ResultLine): void {
  const { agent, model, outcome } = line;
  const reused = line.cached_from !== null;
  metrics?.cellEnded({ agent, model, outcome, reused }, reused ? null : spentOn(line));
}

/** US dollars that were spent on a run, as far as they are known; null if nothing is known. */
const spentOn = ({ cost_usd, cost_usd_at_least, regraded_from }: ResultLine): number | null =>
  // The work that was checked again has been paid for before.
  regraded_from === undefined ? (cost_usd ?? cost_usd_at_least ?? null) : regraded_from.paid_usd;
