import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../lib/errors/usage-error.js';
import { isMirror } from '../platform/folders.js';
import { ownCommand } from '../platform/invocation.js';
import type { ToRegrade } from '../planning/resolve-regrade.js';
import { RunRecord } from '../results/records/run-record.js';
import { workRunOf, type ResultLine } from '../results/records/result-line.js';
import { readResultsFile } from '../store/read-results-file.js';
import { runFiles } from '../store/results-folder.js';
import { storedScenarios } from './pass-variables-again.js';
import { hasEnded } from './sweeps/ended-sweep.js';
import { findById, findPlan } from './sweeps/find-sweep.js';
import { readLog } from './sweeps/read-log.js';

/** Finds the work of a run, or of the runs of a sweep. @throws UsageError if there is none that can be checked again */
export async function findWork(
  resultsPath: string,
  id: string,
  warn: (text: string) => void,
): Promise<ToRegrade> {
  const found = await findById(resultsPath, id);
  const run = found.kind === 'run' ? readResultsFile(runFiles(found.folder).run, OwnSweep) : null;
  const plan = found.kind === 'sweep' ? found.plan : findPlan(resultsPath, run?.sweep ?? '');
  if (run === null && !hasEnded(resultsPath, plan))
    throw new UsageError(
      'sweep_open',
      `${plan.sweep} has not ended; wait for it, or cancel it with ${ownCommand(`cancel ${plan.sweep}`)}`,
    );
  const lines = new Map<string, ResultLine>();
  for (const line of readLog(resultsPath, warn))
    if (run === null ? line.sweep === plan.sweep : line.id === run.run_id) lines.set(line.cell, line);
  const cells = plan.cells.filter((cell) => (run === null ? lines.has(cell.id) : cell.id === run.cell));
  const runs = Object.fromEntries(
    [...lines].flatMap(([cell, line]) =>
      line.results_dir === null ? [] : [[cell, runWithWork(resultsPath, line)]],
    ),
  );
  if (Object.keys(runs).length === 0)
    throw new UsageError('nothing_selected', `${id} has no run whose work could be checked again`);
  return { plan, stored: await storedScenarios(resultsPath, plan), cells, runs };
}

/** The part of run.json that says where a run belongs. */
const OwnSweep = RunRecord.pick({ run_id: true, sweep: true, cell: true });

/**
 * The run in which the work was done or, if `clean` has removed it, the one that has checked it: both have all of it. What
 * hosts share is never removed.
 */
const runWithWork = (resultsPath: string, line: ResultLine): string => {
  const first = workRunOf(line);
  return isMirror(resultsPath) || existsSync(join(resultsPath, first)) ? first : line.id;
};
