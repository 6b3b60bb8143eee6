import { existsSync, linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startFolder } from '#environments';
import { remembered, supervisedFiles } from '#host';
import { diskRemedy } from '#lib';
import { firstNoRoom } from '../step/room.js';
import type { RunContext } from '../step/run-context.js';
import { agentOutputs, lastSession } from './outputs.js';

/**
 * Name `no-room.<code>` in the folder of a start: the system's error code if the disk was full while the agent worked.
 */
const PREFIX = 'no-room.';

/**
 * Codes that could not be written as a note, by folder of the start: a file system that stays read-only takes no new
 * name either.
 */
const unwritten = remembered(() => new Map<string, string>());

/**
 * Watches the disk of the state folder until `over` settles, and notes an error in `folder` if the disk cannot be
 * written. `folder`: the folder of a start, which is on the same disk.
 */
export async function watchRoom(stateFolder: string, folder: string, over: Promise<unknown>): Promise<void> {
  const error = await firstNoRoom(stateFolder, over);
  if (error?.code !== undefined && remedyOf(error.code) !== null) writeNote(folder, error.code);
}

const remedyOf = (code: string): string | null => diskRemedy({ code }, () => true);

/** Notes the code as a hard link to an existing file, which needs no space, unlike a new file. */
function writeNote(folder: string, code: string): void {
  unwritten().set(folder, code);
  try {
    linkSync(supervisedFiles(folder).exit, join(folder, `${PREFIX}${code}`));
    unwritten().delete(folder);
  } catch {
    // Kept in memory only. The step's result cannot be written either until the disk is writable again.
  }
}

function readNote(folder: string): string | null {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((one) => one.startsWith(PREFIX));
  return unwritten().get(folder) ?? name?.slice(PREFIX.length) ?? null;
}

/** Why what the agent did up to start `last` cannot be judged; null if its disk was writable. */
export async function diskFullReason(context: RunContext, last: number): Promise<string | null> {
  for (const { start } of lastSession(await agentOutputs(context, last))) {
    const code = readNote(startFolder(context.handle, start));
    const remedy = code === null ? null : remedyOf(code);
    if (remedy !== null)
      return `the agent may not have been able to write (${remedy}); then rerun the cell with \`retry\``;
  }
  return null;
}
