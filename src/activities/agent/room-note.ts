import { existsSync, linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startFolder } from '../../environments/journal.js';
import { diskRemedy } from '../../lib/disk-failure.js';
import { supervisedFiles } from '../../platform/process/supervise.js';
import { firstNoRoom } from '../step/room.js';
import type { RunContext } from '../step/run-context.js';
import { agentOutputs, lastSession } from './outputs.js';

/** In a start's folder: `no-room.<code>`, with the system's code of why the disk took nothing while the agent worked. */
const PREFIX = 'no-room.';

/** Codes that could not be noted, by the folder of the start: a file system that stays read-only takes no name either. */
const unwritten = new Map<string, string>();

/** Looks until `over` whether the disk of a start, by its folder, which is that of the state folder, has room, and notes it when it has not. */
export async function watchRoom(stateFolder: string, folder: string, over: Promise<unknown>): Promise<void> {
  const error = await firstNoRoom(stateFolder, over);
  if (error?.code !== undefined && remedyOf(error.code) !== null) note(folder, error.code);
}

const remedyOf = (code: string): string | null => diskRemedy({ code }, () => true);

/** A second name of a file that is there: that takes no room, which a file would. */
function note(folder: string, code: string): void {
  unwritten.set(folder, code);
  try {
    linkSync(supervisedFiles(folder).exit, join(folder, `${PREFIX}${code}`));
    unwritten.delete(folder);
  } catch {
    // Kept in memory: nor can the step's result be written before that is over.
  }
}

function noted(folder: string): string | null {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((one) => one.startsWith(PREFIX));
  return unwritten.get(folder) ?? name?.slice(PREFIX.length) ?? null;
}

/** Why what the agent did up to its start `last` cannot be judged; null where its disk had room. */
export async function diskFullReason(context: RunContext, last: number): Promise<string | null> {
  for (const { start } of lastSession(await agentOutputs(context, last))) {
    const code = noted(startFolder(context.handle, start));
    const remedy = code === null ? null : remedyOf(code);
    if (remedy !== null)
      return `the agent may not have been able to write, ${remedy}; then \`retry\` runs the cell again`;
  }
  return null;
}
