import { rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openRunsFolder, type Waiting } from '#engine';
import { readJsonIfThere, TEMPORARY, writeNote } from '#host';
import { defined, sha256 } from '#lib';
import type { RunRef } from '#protocol';
import type { Deps } from './deps.js';

type State = Pick<Deps, 'stateFolder' | 'server'>;

export interface OpenRunNote {
  run: RunRef;
  /** The server that has its workflow; absent if the worker does not name its server. */
  server?: string;
  /** Set while the run waits for its provider. */
  waiting?: Waiting;
  /** The provider that the run waits for, and why, redacted: "openai: HTTP 503". Set while it waits. */
  reason?: string;
}

type CellOfSweep = Pick<RunRef, 'sweep' | 'cell'>;

const folderOf = ({ stateFolder }: Pick<State, 'stateFolder'>): string => openRunsFolder(stateFolder);
const short = (name: string): string => sha256(name).slice(0, 12);
const keyOf = ({ sweep, cell }: CellOfSweep): string => short(`${sweep}/${cell.id}`);
/** The file that is there while a run is open on this host. */
export const openRunFile = (state: Pick<State, 'stateFolder'>, run: RunRef): string =>
  join(folderOf(state), `${keyOf(run)}.${short(run.run)}`);

/**
 * Notes that this host has begun a run. The note is removed when the run is cleaned up. If the run's workflow ends
 * without that, the note says what to stop and remove.
 */
export function noteOpenRun(state: State, run: RunRef): void {
  // After a power failure a note may be empty.
  if ((statSync(openRunFile(state, run), { throwIfNoEntry: false })?.size ?? 0) === 0) write(state, { run });
}

/**
 * Notes that an open run waits for its provider, and why, or (null) that it no longer does: for metrics, also of the
 * next worker, and for those who follow the run.
 */
export function noteWait(
  { metrics, ...state }: Deps,
  run: RunRef,
  noted: { waiting: Waiting; reason: string } | null,
): void {
  if (noted !== null) metrics?.runWaits(run.cell, noted.waiting.why);
  rewrite(state, { run, ...noted });
}

/** Notes why an open run waits for a model that it asks, or (null) that it no longer does. */
export function noteReason(state: State, run: RunRef, reason: string | null): void {
  const before = statSync(openRunFile(state, run), { throwIfNoEntry: false })?.size ?? 0;
  if (before === 0) return;
  rewrite(state, { run, ...defined({ reason }) });
}

/** A disk without room must not fail a step for the sake of a note. */
function rewrite(state: State, note: OpenRunNote): void {
  try {
    write(state, note);
  } catch {
    // Followers of the run see that it is not over, but no reason.
  }
}

const write = (state: State, note: OpenRunNote): void =>
  writeNote(openRunFile(state, note.run), JSON.stringify({ ...note, ...defined({ server: state.server }) }));

/** Removes the note of a run that has been cleaned up. */
export const removeOpenRun = (state: State, run: RunRef): void => rmSync(openRunFile(state, run), { force: true });

/**
 * Returns the runs that this host has begun and not cleaned up. `of`: only the runs of this cell. Leaves out runs of
 * other servers, whose workflows our server would report as missing.
 */
export const openRuns = async (state: State, of?: CellOfSweep): Promise<RunRef[]> =>
  (await openRunNotes(state, of)).map(({ run }) => run);

/** Like `openRuns`, with what is noted about them. */
export async function openRunNotes(state: State, of?: CellOfSweep): Promise<OpenRunNote[]> {
  const names = (await readdir(folderOf(state)).catch(() => [])).filter(
    (name) => !TEMPORARY.test(name) && (of === undefined || name.startsWith(`${keyOf(of)}.`)),
  );
  const notes = await Promise.all(
    // Invalid JSON was cut off by a power failure, which also ended everything of that run.
    names.map((name) => readJsonIfThere<OpenRunNote>(join(folderOf(state), name)).catch(() => null)),
  );
  return notes.flatMap((note) => (note !== null && note.server === state.server ? [note] : []));
}
