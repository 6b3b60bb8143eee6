import { renderSweeps } from '../reports/sweeps-text.js';
import { summarizeSweeps, type PlannedSweep } from '../results/sweep-list.js';
import { Plan } from '../scenario/plan.js';
import { planFile, resultsLog } from '../store/results-folder.js';
import { readResults } from '../store/results-log.js';
import { printJson, say, textOptions } from './output.js';
import { ownCommand } from './own-name.js';
import { displayPath, openProject } from './project.js';
import { newestSweeps } from './sweeps/newest-sweeps.js';
import { readOwn } from './sweeps/read-own.js';
import { sweepStatus } from './sweeps/sweep-status.js';
import { UsageError } from './usage-error.js';

/** More than a screen holds is asked for. */
const SHOWN = 20;

/** `sweeps`: the sweeps of the results folder, newest first, from the files alone. */
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
  else if (sweeps.length === 0) process.stdout.write(`no sweeps yet: ${ownCommand('run')} makes one\n`);
  else process.stdout.write(renderSweeps(sweeps, known.length - wanted.length, Date.now(), textOptions()));
  return Promise.resolve(0);
}

/** null for a sweep whose files are broken, which is said. */
function readSweep(results: string, id: string): PlannedSweep | null {
  try {
    const plan = readOwn(planFile(results, id), Plan);
    return { id, started: plan.created_at, status: sweepStatus(results, id), cells: plan.cells };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    say(`warning: ${displayPath(results)}: ${error.message}; this sweep is left out`);
    return null;
  }
}
