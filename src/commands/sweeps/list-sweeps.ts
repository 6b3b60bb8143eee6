import { renderSweeps } from '../../reports/sweeps-text.js';
import { summarizeSweeps, type PlannedSweep } from '../../results/records/sweep-list.js';
import { Plan } from '../../scenario/plan.js';
import { planFile, resultsLog } from '../../store/results-folder.js';
import { readResults } from '../../store/results-log.js';
import { printJson, printNotice, textOptions } from '../shared/output.js';
import { ownCommand } from '../../platform/invocation.js';
import { openProject } from '../../planning/project.js';
import { displayPath } from '../../platform/display-path.js';
import { newestSweeps } from '../../client/sweeps/newest-sweeps.js';
import { readResultsFile } from '../../store/read-results-file.js';
import { sweepStatus } from '../../client/sweeps/sweep-status.js';
import { UsageError } from '../../lib/errors/usage-error.js';

/** The default limit, which fits on a screen. */
const SHOWN = 20;

/** `sweeps`: lists the sweeps of the results folder, newest first, using only the files. */
export async function listSweeps(options: {
  limit?: number;
  results?: string;
  json: boolean;
}): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const known = newestSweeps(resultsPath);
  const wanted = known.slice(0, options.limit ?? (options.json ? known.length : SHOWN));
  const { results } = readResults(resultsLog(resultsPath));
  const sweeps = summarizeSweeps(
    wanted.flatMap((id) => readSweep(resultsPath, id) ?? []),
    results,
  );
  if (options.json) printJson({ sweeps });
  else if (sweeps.length === 0) process.stdout.write(`no sweeps yet; start one with ${ownCommand('run')}\n`);
  else process.stdout.write(renderSweeps(sweeps, known.length - wanted.length, Date.now(), textOptions()));
  return Promise.resolve(0);
}

/** Warns and returns null if the files of a sweep are broken. */
function readSweep(results: string, id: string): PlannedSweep | null {
  try {
    const plan = readResultsFile(planFile(results, id), Plan);
    return {
      ...{ id, started: plan.created_at, status: sweepStatus(results, id), cells: plan.cells },
      needsAll: plan.until_clear === undefined,
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printNotice(`warning: ${displayPath(results)}: ${error.message}; skipped this sweep`);
    return null;
  }
}
