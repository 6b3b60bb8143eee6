import { utimesSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { everySecond, isAlive, ownIdentity, type ProcessIdentity, readTextIfThere, writeNote } from '#host';
import { beginningOf, diskRemedy, formatDuration, messageOf, parseJson } from '#lib';
import { DISK_FAILURE, STORE_AWAY, withAdvice } from '../step/error-advice.js';
import { isShuttingDown } from '../step/heartbeat.js';
import { stateFolderOf } from '../step/disk-space.js';
import type { LoadedRun, RunIdentity } from '../run/context.js';

/**
 * File `<run>/<step>-attempts/<attempt>`: written when the attempt begins, touched every second while it is performed,
 * and rewritten when it fails.
 */
interface Attempt {
  at: number;
  /** The reason why it ended without a result. Null while it is performed, and for good if its worker died. */
  failed: string | null;
  /**
   * Set if it failed because a disk could not be written or the shared results could not be reached, which says nothing
   * about the step.
   */
  waited?: boolean;
  /** The worker's process. */
  worker: ProcessIdentity;
  /** Set if its worker was shut down in an orderly way. */
  stopped?: boolean;
}

const MESSAGE_LENGTH = 300;
const attemptsFolder = ({ state }: RunIdentity, step: string): string =>
  join(state, `${step.replaceAll(' ', '-')}-attempts`);

/** Performs an attempt of an agent step, and records how it ends for the attempts that follow. */
export async function recordAttempt<T>(context: LoadedRun, step: string, perform: () => Promise<T>): Promise<T> {
  const folder = attemptsFolder(context, step);
  const file = join(folder, String(Context.current().info.attempt));
  const at = Date.now();
  const worker = ownIdentity();
  const own = [stateFolderOf(context), dirname(context.files.folder)];
  const note = (failed: string | null, more: Pick<Attempt, 'stopped' | 'waited'> = {}): void => {
    try {
      writeNote(file, JSON.stringify({ at, failed, worker, ...more } satisfies Attempt));
    } catch (error) {
      // A full disk must not stop the supervision of a running agent.
      if (diskRemedy(error as NodeJS.ErrnoException, () => true) === null) throw error;
    }
  };
  note(null);
  const stop = everySecond(() => touchNote(file));
  try {
    return await withAdvice(perform, own);
  } catch (error) {
    // An attempt stopped from outside has not failed: the next one adopts the agent, or the run was cancelled.
    if (isShuttingDown()) note(null, { stopped: true });
    if (Context.current().cancellationSignal.aborted) throw error;
    const message = beginningOf(context.redact(messageOf(error)), MESSAGE_LENGTH);
    const waited = error instanceof ApplicationFailure && [DISK_FAILURE, STORE_AWAY].includes(error.type ?? '');
    note(message, waited ? { waited } : {});
    throw error;
  } finally {
    stop();
  }
}

function touchNote(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // A state folder that cannot be written for a while must not end the supervision of the agent.
  }
}

/** Returns null if the attempt left no note. After a power failure a note may be empty, which counts as none. */
const readAttempt = async (file: string): Promise<Attempt | null> =>
  (parseJson((await readTextIfThere(file)) ?? '') as Attempt | undefined) ?? null;

/**
 * Describes how the attempts before this one ended: "attempt 1 ended: worker lost after 14 s". If the worker is alive,
 * it was out of touch: it is frozen, or the server was down. An attempt without a note was lost as it began.
 */
export async function earlierAttempts(context: RunIdentity, step: string): Promise<string[]> {
  return describeAttempts(context, step, Context.current().info.attempt - 1);
}

/** The same for all attempts of a step that left notes, for the step that reports them. */
export async function allAttempts(context: RunIdentity, step: string): Promise<string[]> {
  const names = await readdir(attemptsFolder(context, step)).catch(() => []);
  return describeAttempts(context, step, Math.max(0, ...names.map(Number).filter((number) => number > 0)));
}

async function describeAttempts(context: RunIdentity, step: string, count: number): Promise<string[]> {
  const folder = attemptsFolder(context, step);
  const ends = await Promise.all(
    Array.from({ length: count }, async (_, index): Promise<string | null> => {
      const number = index + 1;
      const file = join(folder, String(number));
      const attempt = await readAttempt(file);
      // Only the first of several attempts in a row that waited is reported: hours of a full disk are
      // hundreds.
      if (attempt?.waited === true && (await readAttempt(join(folder, String(number - 1))))?.waited === true)
        return null;
      if (attempt === null) return `attempt ${number} ended: lost as it began`;
      if (attempt.failed !== null) return `attempt ${number} ended: ${attempt.failed}`;
      const lived = (await stat(file)).mtimeMs - attempt.at;
      return `attempt ${number} ended: ${describeWorker(attempt)} after ${formatDuration(Math.max(0, lived))}`;
    }),
  );
  return ends.filter((end) => end !== null);
}

function describeWorker({ stopped, worker }: Attempt): string {
  if (stopped === true) return 'worker stopped';
  return isAlive(worker) ? 'worker out of touch' : 'worker lost';
}
