import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UsageError } from '../../lib/errors/usage-error.js';
import { isFilter, selectCells, type CellFilter } from '../../results/select-cells.js';
import { openRunsIn, reasonText } from '../../client/follow/open-runs.js';
import { displayPath } from '../../platform/display-path.js';
import { projectState } from '../../platform/folders.js';
import { openProject } from '../../planning/project.js';
import { bringSweepRuns, FEW_RUNS } from '../../client/sweeps/bring-runs.js';
import { findById, type Found } from '../../client/sweeps/find-sweep.js';
import { runFiles } from '../../store/results-folder.js';
import { bringRuns } from '../../store/shared/mirror.js';
import { sweepDocument } from '../../client/sweeps/sweep-document.js';
import { printNotice, printSweep, screen } from '../shared/output.js';
import { checkNames } from './check-names.js';
import { onlyRun } from './only-run.js';
import { showRun } from './show-run.js';
import { showTranscript } from './show-transcript.js';

export interface ShowOptions extends CellFilter {
  all: boolean;
  transcript: boolean;
  /** Show what happens until it is over. */
  follow?: boolean;
  json: boolean;
  results?: string;
}

/** `show`: prints a sweep or a run, using only the files. */
export async function show(id: string, options: ShowOptions): Promise<number> {
  if (options.follow === true) {
    // Its client of Temporal takes longer to load than most results take to read.
    const { followById } = await import('./follow.js');
    const followed = await followById(id, options);
    return followed === null ? 130 : show(followed, { ...options, follow: false });
  }
  const { all, transcript, json } = options;
  const { resultsPath } = openProject(options.results);
  const found = await findEnded(resultsPath, id);
  if (found.kind === 'sweep') {
    await bringSweepRuns(resultsPath, found.plan.sweep, FEW_RUNS);
    const whole = await sweepDocument(resultsPath, found.plan, printNotice);
    checkNames(whole, options);
    const document = selectCells(whole, options);
    if (transcript) await showTranscript(await broughtRun(resultsPath, onlyRun(document)), json);
    else printSweep(document, json, screen(all));
    sayWaits(resultsPath, found.plan.sweep);
    return 0;
  }
  if (isFilter(options))
    throw new UsageError('usage', `'${id}' is a run: only the cells of a sweep can be selected`);
  await (transcript ? showTranscript(found.folder, json) : showRun(found.folder, { all, json }));
  return 0;
}

/** Says what the open runs of a sweep on this machine wait for. */
function sayWaits(resultsPath: string, sweep: string): void {
  const open = openRunsIn(projectState(resultsPath).folder);
  const why = reasonText(open.filter((run) => run.sweep === sweep && run.reason !== null));
  if (why !== null) printNotice(why);
}

/** Returns the folder of a run, which may have to be brought from another host. */
async function broughtRun(resultsPath: string, folder: string): Promise<string> {
  await bringRuns(resultsPath, [basename(folder)]);
  return folder;
}

/** Like `findById`, but says how to see a run that is still going on, and so has no records yet. */
async function findEnded(resultsPath: string, id: string): Promise<Found> {
  try {
    return await findById(resultsPath, id);
  } catch (error) {
    const open = openRunsIn(projectState(resultsPath).folder).find(
      ({ run }) => id !== '' && run.startsWith(id),
    );
    if (open === undefined || !(error instanceof UsageError)) throw error;
    const { workspace } = runFiles(join(resultsPath, open.run));
    const where = existsSync(workspace) ? `; its workspace is ${displayPath(workspace)}` : '';
    throw new UsageError(
      'unknown_id',
      `${open.run} is not over; add --follow to see what its agent does${where}`,
    );
  }
}
