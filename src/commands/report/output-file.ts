import { appendFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isFull, namingFull } from '../../lib/disk-failure.js';
import { writeFileAtomic } from '../../platform/fs/write-file.js';
import { UsageError } from '../../lib/usage-error.js';

/** Refuses a file of `--output` that could not be written, before there is anything to write. @throws UsageError */
export function checkOutput(path: string): void {
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError('files_unwritable', `--output ${path}: folder ${dirname(path)} does not exist`);
  // A device or a pipe would be replaced by a file.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UsageError('files_unwritable', `--output ${path}: exists and is not a file`);
}

/** Readers see the old file or the new one. @throws UsageError */
export const replaceOutput = (path: string, text: string): Promise<void> =>
  orUsageError(path, () => writeFileAtomic(realOf(path), text));

/** @throws UsageError */
export const appendOutput = (path: string, text: string): Promise<void> =>
  orUsageError(path, () => appendFileSync(path, text));

/** What a link leads to is replaced, not the link. */
const realOf = (path: string): string =>
  statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);

async function orUsageError(path: string, write: () => Promise<void> | void): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isFull(error)) throw namingFull(error, path);
    throw new UsageError('files_unwritable', `--output ${path}: ${(error as Error).message}`);
  }
}
