import { setTimeout as sleep } from 'node:timers/promises';
import { dirname } from 'node:path';
import type { ExecRequest } from '#environments';
import { assertRecentSpace, assertSpace, MIN_FREE_BYTES, diskError } from '#host';
import type { CommandResult } from '#lib';
import type { RunIdentity, RunPlaces } from '../run/context.js';

/** The private state folder. Everything that a run writes before its report is on its disk. */
export const stateFolderOf = ({ state }: Pick<RunIdentity, 'state'>): string => dirname(dirname(state));

const RECENT_MS = 100;

/**
 * Checks that the disks of the private state and of the results have room. Called before anything that costs money,
 * because its result must be stored. @throws the file system's error
 */
export const assertRecordable = (context: Pick<RunIdentity, 'state'> & Pick<RunPlaces, 'files'>): void =>
  [stateFolderOf(context), dirname(context.files.folder)].forEach((folder) => assertRecentSpace(folder, RECENT_MS));

const LOOK_MS = 1000;

/**
 * Checks once per second while `work` is pending, and once after it has settled, whether the disk of the state folder
 * has room. Resolves with the disk's first error at once, or with null when `work` has settled; never rejects.
 */
export async function firstDiskError(
  stateFolder: string,
  work: Promise<unknown>,
): Promise<NodeJS.ErrnoException | null> {
  const state = { settled: false };
  const settle = (): void => void (state.settled = true);
  const end = work.then(settle, settle);
  for (;;) {
    const late = new AbortController();
    await Promise.race([end, sleep(LOOK_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
    const { settled } = state;
    // Work that has just failed may have failed because the disk was full; only a new check can tell.
    const error = diskError(stateFolder, MIN_FREE_BYTES, settled ? 0 : LOOK_MS / 2);
    if (error !== null || settled) return error;
  }
}

/**
 * Runs a command in the run's environment. A command that fails while its disk is full says nothing about the agent's
 * work.
 * @throws the file system's error if the disk is full before the command, or after one that failed: the step then waits
 * for room and runs the command again
 */
export async function execWithSpace(
  { environment, handle, state }: Pick<RunIdentity, 'state'> & Pick<RunPlaces, 'environment' | 'handle'>,
  request: ExecRequest,
): Promise<CommandResult> {
  const stateFolder = stateFolderOf({ state });
  assertSpace(stateFolder, MIN_FREE_BYTES);
  const command = environment.exec(handle, request);
  const diskFailure = firstDiskError(stateFolder, command);
  const result = await command;
  const error = result.exitCode === 0 ? null : await diskFailure;
  if (error !== null) throw error;
  return result;
}
