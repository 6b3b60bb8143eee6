import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessHandle } from '../../environments/environment.js';
import { diskRemedy } from '../../lib/disk-failure.js';
import { readTextIfThere } from '../../platform/read-file.js';
import { noteOnce } from '../../platform/write-file.js';
import { firstNoRoom } from '../step/room.js';
import type { RunContext } from '../step/run-context.js';
import { agentOutputs, lastSession } from './outputs.js';

/** In a start's folder: why the disk took nothing while the agent worked; blank where it did. */
const noteFile = ({ folder }: ProcessHandle): string => join(folder, 'no-room');

/** For a file system that stays read-only: what cannot be written down yet, by file. */
const unwritten = new Map<string, string>();

/** Makes the note before the agent starts: on a full disk it can be written over only. */
export function keepRoomNote(process: ProcessHandle): void {
  noteOnce(noteFile(process), ' ');
}

/** Looks until `over` whether the disk of a start, which is that of the state folder, has room, and notes it when it has not. */
export async function watchRoom(
  stateFolder: string,
  process: ProcessHandle,
  over: Promise<unknown>,
): Promise<void> {
  const error = await firstNoRoom(stateFolder, over);
  const remedy = error === null ? null : diskRemedy(error, () => true);
  if (remedy !== null) note(noteFile(process), remedy);
}

/** Over what is there, which needs no room. */
function note(file: string, text: string): void {
  unwritten.set(file, text);
  try {
    const descriptor = openSync(file, 'r+');
    try {
      writeSync(descriptor, text, 0);
      unwritten.delete(file);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Kept in memory: nor can the step's result be written before that is over.
  }
}

/** Why what the agent did up to its start `last` cannot be judged; null where its disk had room. */
export async function whySpoiled(context: RunContext, last: number): Promise<string | null> {
  for (const { start } of lastSession(await agentOutputs(context, last))) {
    const file = noteFile(context.environment.process(context.handle, start));
    const text = unwritten.get(file) ?? ((await readTextIfThere(file)) ?? '').trim();
    if (text !== '')
      return `the agent may not have been able to write, ${text}; then \`retry\` runs the cell again`;
  }
  return null;
}
