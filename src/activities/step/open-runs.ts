import { rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../lib/hash.js';
import { readJsonIfThere } from '../../platform/fs/read-file.js';
import { TEMPORARY, writeNote } from '../../platform/fs/write-file.js';
import type { RunRef } from '../../workflows/protocol.js';
import type { Deps } from './deps.js';

type State = Pick<Deps, 'stateFolder' | 'server'>;

interface Note {
  run: RunRef;
  /** Which server knows its workflow; absent where the worker does not say. */
  server?: string;
}

type CellOfSweep = Pick<RunRef, 'sweep' | 'cell'>;

const folderOf = ({ stateFolder }: State): string => join(stateFolder, 'open-runs');
const short = (name: string): string => sha256(name).slice(0, 12);
const keyOf = ({ sweep, cell }: CellOfSweep): string => short(`${sweep}/${cell.id}`);
const fileOf = (state: State, run: RunRef): string =>
  join(folderOf(state), `${keyOf(run)}.${short(run.run)}`);

/**
 * Notes that this host has begun a run, until the run is cleaned up: whoever finds that the run's workflow has ended
 * without that knows what to end and remove.
 */
export function noteOpenRun(state: State, run: RunRef): void {
  const file = fileOf(state, run);
  // After a loss of power a note may be empty.
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    const { server } = state;
    writeNote(file, JSON.stringify({ run, ...(server === undefined ? {} : { server }) } satisfies Note));
  }
}

/** The run has been cleaned up. */
export const forgetOpenRun = (state: State, run: RunRef): void => rmSync(fileOf(state, run), { force: true });

/**
 * Runs that this host has begun and not cleaned up, as far as our server knows them: of others' it would say that there are
 * none. Those of one cell where one is given.
 */
export async function openRuns(state: State, of?: CellOfSweep): Promise<RunRef[]> {
  const names = (await readdir(folderOf(state)).catch(() => [])).filter(
    (name) => !TEMPORARY.test(name) && (of === undefined || name.startsWith(`${keyOf(of)}.`)),
  );
  const notes = await Promise.all(
    // What is no JSON was cut short by a loss of power, as its run was: nothing of that is alive.
    names.map((name) => readJsonIfThere<Note>(join(folderOf(state), name)).catch(() => null)),
  );
  return notes.flatMap((note) => (note !== null && note.server === state.server ? [note.run] : []));
}
