import { existsSync, linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startFolder } from '#environments';
import { remembered, supervisedFiles } from '#host';
import { diskRemedy } from '#lib';
import type { RunPlaces } from '../run/context.js';
import { firstDiskError } from '../step/disk-space.js';
import { agentOutputs, lastSession } from './outputs.js';

/**
 * Name `no-room.<code>` in the folder of a start: the system's error code if the disk was full while the agent worked.
 */
const PREFIX = 'no-room.';

/**
 * Codes that could not be written as a note, by folder of the start: on a read-only file system, not
 * even an empty file can be created.
 */
const unwritten = remembered(() => new Map<string, string>());

/**
 * Watches the disk of the state folder until `over` settles, and notes an error in `folder` if the disk cannot be
 * written. `folder`: the folder of a start, which is on the same disk.
 */
export async function watchDisk(stateFolder: string, folder: string, over: Promise<unknown>): Promise<void> {
  const error = await firstDiskError(stateFolder, over);
  if (error?.code !== undefined && remedyOf(error.code) !== null) noteDiskFull(folder, error.code);
}

const remedyOf = (code: string): string | null => diskRemedy({ code }, () => true);

/** Notes the code as a hard link to an existing file, which needs no space, unlike a new file. */
function noteDiskFull(folder: string, code: string): void {
  unwritten().set(folder, code);
  try {
    linkSync(supervisedFiles(folder).exit, join(folder, `${PREFIX}${code}`));
    unwritten().delete(folder);
  } catch {
    // Kept in memory only. The step's result cannot be written either until the disk is writable again.
  }
}

function codeNoted(folder: string): string | null {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((one) => one.startsWith(PREFIX));
  return unwritten().get(folder) ?? name?.slice(PREFIX.length) ?? null;
}

/** Returns why the agent's work up to start `last` cannot be judged; null if its disk was writable. */
export async function diskFullReason(context: RunPlaces, last: number): Promise<string | null> {
  for (const { start } of lastSession(await agentOutputs(context, last))) {
    const code = codeNoted(startFolder(context.handle, start));
    const remedy = code === null ? null : remedyOf(code);
    if (remedy !== null)
      return `the agent may not have been able to write (${remedy}); then rerun the cell with \`retry\``;
  }
  return null;
}
