import { join } from 'node:path';
import { isFolder } from '../../platform/fs/tree.js';
import { runFiles } from '../results-folder.js';
import type { SharedProject } from './shared-project.js';

/** Brings the folder of a run into the mirror. Returns false if it is not stored. */
export async function fetchRun({ store, resultsPath }: SharedProject, run: string): Promise<boolean> {
  const folder = join(resultsPath, run);
  return (await isFolder(folder)) || store.getFolder(run, folder);
}

/** Returns artifacts/run.json of a run without bringing its folder; null if it is not stored. */
export const fetchRecord = ({ store }: SharedProject, run: string): Promise<Buffer | null> =>
  store.getFileOf(run, runFiles('').run);
