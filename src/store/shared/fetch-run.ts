import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRealFolder } from '#host';
import { inParallel } from '#lib';
import { runFiles } from '../results-folder.js';
import { sharedProjectOf, type SharedProject } from './shared-project.js';

/** Brings the folder of a run into the mirror. Returns false if it is not stored. */
export async function fetchRun({ store, resultsPath }: SharedProject, run: string): Promise<boolean> {
  const folder = join(resultsPath, run);
  return isRealFolder(folder) || store.getFolder(run, folder);
}

const AT_ONCE = 8;

/** Brings the folders of runs into a mirror; does nothing for an ordinary results folder, which has them. */
export async function bringRuns(resultsPath: string, runs: Iterable<string>): Promise<void> {
  const project = await sharedProjectOf(resultsPath);
  if (project === null) return;
  const missing = [...new Set(runs)].filter((run) => !existsSync(join(resultsPath, run)));
  await inParallel(AT_ONCE, missing, (run) => fetchRun(project, run));
}

/** True if a run has a folder. That of a shared project may be on another host, and nothing removes it. */
export const hasRun = async (resultsPath: string, folder: string): Promise<boolean> =>
  existsSync(runFiles(folder).metrics) || (await sharedProjectOf(resultsPath)) !== null;
