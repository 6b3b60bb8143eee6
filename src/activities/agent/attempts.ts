import { utimesSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { beginningOf } from '../../lib/format/truncate.js';
import { diskRemedy } from '../../lib/disk-failure.js';
import { formatDuration } from '../../lib/format/duration.js';
import { parseJson } from '../../lib/json.js';
import { everySecond } from '../../platform/process/every-second.js';
import { isAlive, ownIdentity, type ProcessIdentity } from '../../platform/process/process-identity.js';
import { readTextIfThere } from '../../platform/fs/read-file.js';
import { writeNote } from '../../platform/fs/write-file.js';
import { DISK_FAILURE, withAdvice } from '../step/error-advice.js';
import { isShuttingDown } from '../step/heartbeat.js';
import { stateFolderOf } from '../step/recordable.js';
import type { RunContext } from '../step/run-context.js';

/** `<run>/<step>-attempts/<attempt>`: written when it begins, touched while it lives, and again when it fails. */
interface Attempt {
  at: number;
  /** Why it ended without a result; null while it lives, and for good when its worker died. */
  failed: string | null;
  /** It failed for want of a disk that takes something: it says nothing of the step. */
  waited?: boolean;
  /** Who performs it; notes of older builds do not say. */
  worker?: ProcessIdentity;
  /** Its worker was asked to end, and did so in order. */
  stopped?: boolean;
}

const MESSAGE_LENGTH = 300;
const attemptsFolder = ({ state }: RunContext, step: string): string =>
  join(state, `${step.replaceAll(' ', '-')}-attempts`);

/** Performs an attempt of a step that runs the agent so that the next one can tell how it ended. */
export async function recordAttempt<T>(
  context: RunContext,
  step: string,
  perform: () => Promise<T>,
): Promise<T> {
  const folder = attemptsFolder(context, step);
  const file = join(folder, String(Context.current().info.attempt));
  const at = Date.now();
  const worker = ownIdentity();
  const own = [stateFolderOf(context), dirname(context.files.folder)];
  const note = (failed: string | null, more: Pick<Attempt, 'stopped' | 'waited'> = {}): void => {
    try {
      writeNote(file, JSON.stringify({ at, failed, worker, ...more } satisfies Attempt));
    } catch (error) {
      // A running agent is followed all the same.
      if (diskRemedy(error as NodeJS.ErrnoException, () => true) === null) throw error;
    }
  };
  note(null);
  const stop = everySecond(() => showLife(file));
  try {
    return await withAdvice(perform, own);
  } catch (error) {
    // An attempt that is stopped from outside has not failed: the next one adopts the agent, or the run was cancelled.
    if (isShuttingDown()) note(null, { stopped: true });
    if (Context.current().cancellationSignal.aborted) throw error;
    const message = beginningOf(
      context.redact(error instanceof Error ? error.message : String(error)),
      MESSAGE_LENGTH,
    );
    const waited = error instanceof ApplicationFailure && error.type === DISK_FAILURE;
    note(message, waited ? { waited } : {});
    throw error;
  } finally {
    stop();
  }
}

function showLife(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // A state folder that takes nothing for a while must not end what this worker follows.
  }
}

/** null for one that has left no note; after a loss of power a note may be empty, which is as good. */
const readAttempt = async (file: string): Promise<Attempt | null> =>
  (parseJson((await readTextIfThere(file)) ?? '') as Attempt | undefined) ?? null;

/**
 * How the attempts before this one ended: "attempt 1 ended: worker lost after 14 s". A worker that is alive was out of
 * touch: it is frozen, or the server was away. An attempt without a note was lost as it began.
 */
export async function earlierAttempts(context: RunContext, step: string): Promise<string[]> {
  return fatesOfAttempts(context, step, Context.current().info.attempt - 1);
}

/** The same of all attempts of a step that have left notes, for another step that reports them. */
export async function allAttempts(context: RunContext, step: string): Promise<string[]> {
  const names = await readdir(attemptsFolder(context, step)).catch(() => []);
  return fatesOfAttempts(context, step, Math.max(0, ...names.map(Number).filter((number) => number > 0)));
}

async function fatesOfAttempts(context: RunContext, step: string, count: number): Promise<string[]> {
  const folder = attemptsFolder(context, step);
  const ends = await Promise.all(
    Array.from({ length: count }, async (_, index): Promise<string | null> => {
      const number = index + 1;
      const file = join(folder, String(number));
      const attempt = await readAttempt(file);
      // One wait is told, of however many attempts: hours of a full disk are hundreds.
      if (attempt?.waited === true && (await readAttempt(join(folder, String(number - 1))))?.waited === true)
        return null;
      if (attempt === null) return `attempt ${number} ended: lost as it began`;
      if (attempt.failed !== null) return `attempt ${number} ended: ${attempt.failed}`;
      const lived = (await stat(file)).mtimeMs - attempt.at;
      return `attempt ${number} ended: ${fateOfWorker(attempt)} after ${formatDuration(Math.max(0, lived))}`;
    }),
  );
  return ends.filter((end) => end !== null);
}

function fateOfWorker({ stopped, worker }: Attempt): string {
  if (stopped === true) return 'worker stopped';
  return worker !== undefined && isAlive(worker) ? 'worker out of touch' : 'worker lost';
}
