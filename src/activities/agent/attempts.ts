import { readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { beginningOf } from '../../lib/cut.js';
import { formatDuration } from '../../lib/duration.js';
import { parseJson } from '../../lib/json.js';
import { isAlive, ownIdentity, type ProcessIdentity } from '../../platform/process-identity.js';
import { readTextIfThere } from '../../platform/read-file.js';
import { writeNote } from '../../platform/write-file.js';
import { explained } from '../step/explain.js';
import type { RunContext } from '../step/run-context.js';

/** `<run>/<step>-attempts/<attempt>`: written when it begins, touched while it lives, and again when it fails. */
interface Attempt {
  at: number;
  /** Why it ended without a result; null while it lives, and for good when its worker died. */
  failed: string | null;
  /** Who performs it; notes of older builds do not say. */
  worker?: ProcessIdentity;
}

const SIGN_OF_LIFE_MS = 1000;
/** As often as any other step is tried. */
const MAX_FAILED = 8;
const MESSAGE_LENGTH = 300;
const attemptsFolder = ({ handle }: RunContext, step: string): string =>
  join(handle.root, `${step.replaceAll(' ', '-')}-attempts`);

/** Performs an attempt of a step that runs the agent so that the next one can tell how it ended. */
export async function noteAttempt<T>(
  context: RunContext,
  step: string,
  perform: () => Promise<T>,
): Promise<T> {
  const folder = attemptsFolder(context, step);
  const file = join(folder, String(Context.current().info.attempt));
  const at = Date.now();
  const worker = ownIdentity();
  const note = (failed: string | null): void =>
    writeNote(file, JSON.stringify({ at, failed, worker } satisfies Attempt));
  note(null);
  const signs = setInterval(() => {
    utimes(file, new Date(), new Date()).catch(() => undefined);
  }, SIGN_OF_LIFE_MS);
  try {
    return await explained(perform);
  } catch (error) {
    const message = beginningOf(
      context.redact(error instanceof Error ? error.message : String(error)),
      MESSAGE_LENGTH,
    );
    note(message);
    // Losses of the worker are tried again for ever; what fails by itself is not.
    if ((await failedAttempts(folder)) < MAX_FAILED) throw error;
    throw ApplicationFailure.nonRetryable(message, 'GivenUp');
  } finally {
    clearInterval(signs);
  }
}

/** null for one that has left no note; after a loss of power a note may be empty, which is as good. */
const readAttempt = async (file: string): Promise<Attempt | null> =>
  (parseJson((await readTextIfThere(file)) ?? '') as Attempt | undefined) ?? null;

async function failedAttempts(folder: string): Promise<number> {
  const attempts = await Promise.all((await readdir(folder)).map((name) => readAttempt(join(folder, name))));
  return attempts.filter((attempt) => attempt?.failed != null).length;
}

/**
 * How the attempts before this one ended: "attempt 1 ended: worker lost after 14 s". A worker that is alive was out of
 * touch: it is frozen, or the server was away. An attempt without a note was lost as it began.
 */
export async function earlierAttempts(context: RunContext, step: string): Promise<string[]> {
  const folder = attemptsFolder(context, step);
  const own = Context.current().info.attempt;
  return Promise.all(
    Array.from({ length: own - 1 }, async (_, index) => {
      const number = index + 1;
      const file = join(folder, String(number));
      const attempt = await readAttempt(file);
      if (attempt === null) return `attempt ${number} ended: lost as it began`;
      if (attempt.failed !== null) return `attempt ${number} ended: ${attempt.failed}`;
      const lived = (await stat(file)).mtimeMs - attempt.at;
      const fate =
        attempt.worker !== undefined && isAlive(attempt.worker) ? 'worker out of touch' : 'worker lost';
      return `attempt ${number} ended: ${fate} after ${formatDuration(Math.max(0, lived))}`;
    }),
  );
}
