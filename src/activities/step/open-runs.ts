import { rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../lib/hash.js';
import { openRunsFolder } from '../../platform/engine/engine-state.js';
import { readJsonIfThere } from '../../platform/fs/read-file.js';
import { TEMPORARY, writeNote } from '../../platform/fs/write-file.js';
import type { RunRef } from '../../workflows/protocol.js';
import type { Deps } from './deps.js';

type State = Pick<Deps, 'stateFolder' | 'server'>;

interface Note {
  run: RunRef;
  /** The server that has its workflow; absent if the worker does not name its server. */
  server?: string;
}

type CellOfSweep = Pick<RunRef, 'sweep' | 'cell'>;

const folderOf = ({ stateFolder }: State): string => openRunsFolder(stateFolder);
const short = (name: string): string => sha256(name).slice(0, 12);
const keyOf = ({ sweep, cell }: CellOfSweep): string => short(`${sweep}/${cell.id}`);
const fileOf = (state: State, run: RunRef): string =>
  join(folderOf(state), `${keyOf(run)}.${short(run.run)}`);

/**
 * Notes that this host has begun a run. The note is removed when the run is cleaned up. If the run's workflow ends
 * without that, the note says what to stop and remove.
 */
export function noteOpenRun(state: State, run: RunRef): void {
  const file = fileOf(state, run);
  // After a power failure a note may be empty.
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    const { server } = state;
    writeNote(file, JSON.stringify({ run, ...(server === undefined ? {} : { server }) } satisfies Note));
  }
}

/** Removes the note of a run that has been cleaned up. */
export const removeOpenRun = (state: State, run: RunRef): void => rmSync(fileOf(state, run), { force: true });

/**
 * Returns the runs that this host has begun and not cleaned up. `of`: only the runs of this cell. Leaves out runs of
 * other servers, whose workflows our server would report as missing.
 */
export async function openRuns(state: State, of?: CellOfSweep): Promise<RunRef[]> {
  const names = (await readdir(folderOf(state)).catch(() => [])).filter(
    (name) => !TEMPORARY.test(name) && (of === undefined || name.startsWith(`${keyOf(of)}.`)),
  );
  const notes = await Promise.all(
    // Invalid JSON was cut off by a power failure, which also ended everything of that run.
    names.map((name) => readJsonIfThere<Note>(join(folderOf(state), name)).catch(() => null)),
  );
  return notes.flatMap((note) => (note !== null && note.server === state.server ? [note.run] : []));
}
