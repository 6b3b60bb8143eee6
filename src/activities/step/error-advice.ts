import { existsSync } from 'node:fs';
import { ApplicationFailure } from '@temporalio/common';
import { diskRemedy, isFull } from '../../lib/disk-failure.js';
import { whyNoRoom } from '../../platform/fs/disk-room.js';

/** Type of the failure of a step whose disk takes nothing for now: it is tried again until it does (patient.ts). */
export const DISK_FAILURE = 'DiskUnavailable';

/** Too little for anything. */
const BARELY = 4096;

/** What a person can do about an error of the machine that is not of its disks. */
const ADVICE: Record<string, string> = {
  EMFILE: 'too many open files: raise the limit (ulimit -n) and restart the engine',
  ENOMEM: 'out of memory: lower --concurrency; the step is retried',
};

/**
 * Gives errors of the machine a message that says where it happened and what to do. `own` are folders without which nothing
 * works: that they are gone, or closed to us, is such an error too.
 */
export async function withAdvice<R>(perform: () => Promise<R>, own: readonly string[] = []): Promise<R> {
  try {
    return await perform();
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, own);
  }
}

function explain(error: NodeJS.ErrnoException, own: readonly string[]): Error {
  const { syscall } = error;
  const code = codeOf(error);
  const path = isFull(error) ? placeOf(error, own) : error.path;
  const remedy = diskRemedy({ code, syscall, path }, (path) => blocking(path, code, own) !== null);
  const advice = code === undefined ? undefined : ADVICE[code];
  if (remedy === null && advice === undefined) return error;
  const where = (path === undefined ? null : blocking(path, code, own)) ?? path ?? syscall ?? '';
  return ApplicationFailure.create({
    type: remedy === null ? (code ?? 'unknown') : DISK_FAILURE,
    message: `${where === '' ? '' : `${where}: `}${remedy === null ? advice : `${remedy}; the step is retried`}`,
  });
}

/** Where the disk is full. Node names no file when a write fails, and the source when a copy does. */
const placeOf = (
  error: NodeJS.ErrnoException & { dest?: string },
  own: readonly string[],
): string | undefined => own.find((folder) => whyNoRoom(folder, BARELY) !== null) ?? error.dest ?? error.path;

/** The folder of ours that keeps a path in it from being used; null where none does. */
function blocking(path: string, code: string | undefined, own: readonly string[]): string | null {
  const folder = own.find((folder) => path === folder || path.startsWith(`${folder}/`));
  if (code !== 'ENOENT') return folder === undefined || code !== 'EACCES' ? null : path;
  return (
    own.find((folder) => (path === folder || path.startsWith(`${folder}/`)) && !existsSync(folder)) ?? null
  );
}

/** V8 and Node have names of their own for a lack of memory. */
const codeOf = ({ code, message }: NodeJS.ErrnoException): string | undefined =>
  code === 'ERR_MEMORY_ALLOCATION_FAILED' || message === 'Array buffer allocation failed' ? 'ENOMEM' : code;
