import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { publishOnce, TEMPORARY, writeFileAtomic } from '../../platform/fs/write-file.js';
import type { SharedStore } from '../shared/shared-store.js';

/** Where the small files of schedules are: the results folder, or the place that hosts share. */
export type ObjectStore = Pick<SharedStore, 'get' | 'put' | 'putOnce' | 'list' | 'remove'>;

/** The objects in a local results folder. */
export const objectsIn = (resultsPath: string): ObjectStore => ({
  // eslint-disable-next-line @typescript-eslint/require-await -- errors must come as a rejection
  get: async (name) => unlessMissing(() => readFileSync(join(resultsPath, name)), null),
  put: (name, data) => writeFileAtomic(join(resultsPath, name), data),
  putOnce: (name, data) => publishOnce(join(resultsPath, name), data.toString()),
  // eslint-disable-next-line @typescript-eslint/require-await -- errors must come as a rejection
  list: async (folder) =>
    unlessMissing(() => readdirSync(join(resultsPath, folder), { withFileTypes: true }), [])
      .filter((entry) => entry.isFile() && !TEMPORARY.test(entry.name))
      .map(({ name }) => name)
      .sort(),
  remove: (name) => rm(join(resultsPath, name), { force: true, recursive: true }),
});

function unlessMissing<T, U>(read: () => T, missing: U): T | U {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return missing;
    throw error;
  }
}
