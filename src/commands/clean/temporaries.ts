import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from '../../platform/process/process-identity.js';
import { TEMPORARY } from '../../platform/fs/write-file.js';
import { cleanFolder, storeFolder, sweepsFolder } from '../../store/results-folder.js';
import { foldersIn } from './gather-sweeps.js';

const HOUR = 3_600_000;

/**
 * True if the process that wrote a temporary file is gone. The file's name only has a pid, which may belong to another
 * process by now, or to one in another container that we cannot see. So the last change counts too.
 */
const isAbandoned = (ageMs: number, isAlive: boolean): boolean =>
  ageMs > 24 * HOUR || (ageMs > HOUR && !isAlive);

/** Returns paths of files and folders that dead processes left unfinished. Those of runs are deleted with the run. */
export function abandonedTemporaries(results: string, stateFolder: string, now: number): string[] {
  const folders = [
    results,
    storeFolder(results),
    cleanFolder(results),
    ...foldersIn(sweepsFolder(results)).map((sweep) => join(sweepsFolder(results), sweep)),
    ...[stateFolder, ...['env', 'index', 'open-runs'].map((name) => join(stateFolder, name))],
  ];
  return folders.flatMap((folder) =>
    names(folder)
      .map((name) => ({ path: join(folder, name), pid: Number(TEMPORARY.exec(name)?.[1]) }))
      .filter(({ path, pid }) => {
        const info = Number.isNaN(pid) ? undefined : lstatSync(path, { throwIfNoEntry: false });
        return info !== undefined && isAbandoned(now - info.mtimeMs, identify(pid) !== null);
      })
      .map(({ path }) => path),
  );
}

const names = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};
