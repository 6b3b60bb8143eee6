import { appendFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isFull, addPathToFullDiskError } from '../../lib/errors/disk-failure.js';
import { writeFileAtomic } from '../../platform/fs/write-file.js';
import { UsageError } from '../../lib/errors/usage-error.js';

/** Checks the path of `--output` before the report is made. @throws UsageError if it cannot be written */
export function checkOutput(path: string): void {
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError('files_unwritable', `--output ${path}: folder ${dirname(path)} does not exist`);
  // otherwise a file would replace the device or pipe
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UsageError('files_unwritable', `--output ${path}: exists and is not a file`);
}

/** Replaces a file atomically: readers see the old or the new one. @throws UsageError if it cannot be written */
export const replaceOutput = (path: string, text: string): Promise<void> =>
  orUsageError(path, () => writeFileAtomic(realOf(path), text));

/** @throws UsageError if the file cannot be written */
export const appendOutput = (path: string, text: string): Promise<void> =>
  orUsageError(path, () => appendFileSync(path, text));

/** Follows symlinks, so that the file is replaced and not the link to it. */
const realOf = (path: string): string =>
  statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);

async function orUsageError(path: string, write: () => Promise<void> | void): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isFull(error)) throw addPathToFullDiskError(error, path);
    throw new UsageError('files_unwritable', `--output ${path}: ${(error as Error).message}`);
  }
}
