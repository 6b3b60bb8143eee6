import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJudged, isTested } from '#decide';
import { isMirror, ownCommand } from '#host';
import { formatCost, sha256, UsageError } from '#lib';
import { type ResultLine, RunRecord, workRunOf } from '#model';
import type { ToRegrade } from '#planning';
import { readResultsFile, runFiles } from '#store';
import { findById, findPlan, hasEnded, judgedFacts, readLog } from '#sweeps';
import { storedScenarios } from './pass-variables.js';

/**
 * Finds the work of a run, or of the runs of a sweep. `sample`: of a sweep, only so many runs that a model judged, at
 * random.
 *
 * @throws UsageError if there is none that can be checked again
 */
export async function findWork(
  resultsPath: string,
  id: string,
  warn: (text: string) => void,
  sample: number | null = null,
): Promise<ToRegrade> {
  const found = await findById(resultsPath, id);
  const run = found.kind === 'run' ? readResultsFile(runFiles(found.folder).run, OwnSweep) : null;
  const plan = found.kind === 'sweep' ? found.plan : findPlan(resultsPath, run?.sweep ?? '');
  if (run === null && !hasEnded(resultsPath, plan))
    throw new UsageError(
      'sweep_open',
      `${plan.sweep} has not ended; wait for it, or cancel it with ${ownCommand(`cancel ${plan.sweep}`)}`,
    );
  const results = readLog(resultsPath, warn);
  const own = results.filter((line) => (run === null ? line.sweep === plan.sweep : line.id === run.run_id));
  const lines =
    sample === null
      ? new Map(own.map((line) => [line.cell, line]))
      : sampleOf(resultsPath, { own, results, sample, warn });
  const cells = plan.cells.filter((cell) => (run === null ? lines.has(cell.id) : cell.id === run.cell));
  const runs = Object.fromEntries(
    [...lines].flatMap(([cell, line]) => (line.results_dir === null ? [] : [[cell, runWithWork(resultsPath, line)]])),
  );
  if (Object.keys(runs).length === 0)
    throw new UsageError('nothing_selected', `${id} has no run whose work could be checked again`);
  return { plan, stored: await storedScenarios(resultsPath, plan), cells, runs };
}

interface Sampling {
  own: readonly ResultLine[];
  results: readonly ResultLine[];
  sample: number;
  warn: (text: string) => void;
}

/**
 * Chooses among the runs that a model judged and that passed or failed, of each cell the one that `compare` counts.
 * Their verdicts play no part: among those that passed by luck, more fail the second time, however steady the judge is.
 * Those that were never judged again come first, so that a second sample adds to the first, then those for which it is
 * longest ago.
 */
function sampleOf(resultsPath: string, { own, results, sample, warn }: Sampling): Map<string, ResultLine> {
  const counted = new Map<string, ResultLine>();
  for (const line of own.toReversed()) if (isTested(line)) counted.set(line.cell, line);
  const judged = [...counted.values()].filter((line) => line.results_dir !== null && isJudged(line));
  const gone = judged.filter((line) => !existsSync(join(resultsPath, runWithWork(resultsPath, line))));
  const kept = isMirror(resultsPath) ? judged : judged.filter((line) => !gone.includes(line));
  if (kept.length === 0)
    throw new UsageError(
      'nothing_selected',
      judged.length === 0
        ? '--sample: no run that passed or failed was judged by a model'
        : `--sample: nothing is left to judge again; these runs were removed: ${namesOf(judged)}`,
    );
  const again = new Map(results.map((line) => [line.regraded_from?.run ?? '', line.timestamp]));
  const order = (line: ResultLine): string => `${again.get(workRunOf(line)) ?? ''} ${sha256(line.id)}`;
  const chosen = kept.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, sample);
  if (kept.length < judged.length) warn(`cannot be judged again, because these runs were removed: ${namesOf(gone)}`);
  const costs = chosen.map(judgedFacts(resultsPath).cost);
  const usd = costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  const price = usd === null ? 'at an unknown cost' : `for about ${formatCost(usd)}, as before`;
  warn(`judging ${chosen.length} of ${judged.length} runs again ${price}`);
  return new Map(chosen.map((line) => [line.cell, line]));
}

const MAX_NAMES = 5;
const namesOf = (lines: readonly ResultLine[]): string =>
  lines.slice(0, MAX_NAMES).map(workRunOf).join(', ') +
  (lines.length > MAX_NAMES ? ` and ${lines.length - MAX_NAMES} more` : '');

/** The part of run.json that identifies the sweep and cell of a run. */
const OwnSweep = RunRecord.pick({ run_id: true, sweep: true, cell: true });

/**
 * The run in which the work was done or, if `clean` has removed it, the one that has checked it: both have all of it.
 * What hosts share is never removed.
 */
const runWithWork = (resultsPath: string, line: ResultLine): string => {
  const first = workRunOf(line);
  return isMirror(resultsPath) || existsSync(join(resultsPath, first)) ? first : line.id;
};
