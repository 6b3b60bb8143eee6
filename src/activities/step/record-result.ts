import type { ResultLine } from '../../results/records/result-line.js';
import { appendResult } from '../../store/results-log.js';
import { resultsLog } from '../../store/results-folder.js';
import type { Deps } from './deps.js';

/** Appends the result of a cell to the results, and counts it. */
export async function recordResult({ resultsPath, metrics }: Deps, line: ResultLine): Promise<void> {
  await appendResult(resultsLog(resultsPath), line);
  const { agent, model, outcome } = line;
  const reused = line.cached_from !== null;
  metrics?.cellEnded({ agent, model, outcome, reused }, reused ? null : spentOn(line));
}

/** US dollars that were spent on a run, as far as they are known; null if nothing is known. */
const spentOn = ({ cost_usd, cost_usd_at_least, regraded_from }: ResultLine): number | null =>
  // The work that was checked again has been paid for before.
  regraded_from === undefined ? (cost_usd ?? cost_usd_at_least ?? null) : regraded_from.paid_usd;
