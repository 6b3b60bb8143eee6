import { predictsCost } from '../../results/budget.js';
import type { ResultLine } from '../../results/records/result-line.js';
import type { RunResult } from '../../workflows/protocol.js';

/** Returns what a run's workflow tells its sweep about a result. */
export function resultOfLine(line: ResultLine): RunResult {
  const { outcome, message, cost_usd, cost_usd_at_least = 0, regraded_from } = line;
  // The work that was checked has been paid for before.
  if (regraded_from !== undefined) return { outcome, message, costUsd: regraded_from.paid_usd };
  return cost_usd === null || !predictsCost(line)
    ? { outcome, message, costUsd: null, knownUsd: cost_usd ?? cost_usd_at_least }
    : { outcome, message, costUsd: cost_usd };
}

/** Returns what is worse than in the previous run of the cell and that run's repetitions; nothing for a run with the outcome error. */
function regressionsOf(
  resultsPath: string,
  { run_id, cell, outcome }: RunRecord,
  { composite_score, details, judge }: Metrics,
  cost_usd: number | null,
): Regression[] {
  if (outcome === 'error' || outcome === 'cancelled') return [];
  const index = resultsIndex(resultsPath);
  const before = index.previous(cell, run_id);
  if (before === null) return [];
  const gatesFailed = details.filter(({ status }) => status === 'fail').map(gateKey);
  const now = {
    composite_score: composite_score ?? null,
    judge_score: judge?.weighted_score ?? null,
    cost_usd,
    gatesFailed,
  };
  return findRegressions(before, now, index.besides(before, run_id));
}
