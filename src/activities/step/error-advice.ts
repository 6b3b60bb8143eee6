import { existsSync } from 'node:fs';
import { ApplicationFailure } from '@temporalio/common';
import { MachineRefused, SymlinkInTheWay } from '#environments';
import { diskError } from '#host';
import { adviceMeanwhile, diskRemedy, isFull, isStoreAway } from '#lib';

/** Failure type of a step whose disk cannot be written for now. The step is retried until it can (retry-policy.ts). */
export const DISK_FAILURE = 'DiskUnavailable';
/** Failure type of a step that cannot reach the shared results for now. The step is retried until it can. */
export const STORE_AWAY = 'StoreUnavailable';

/** With less room than this, bytes, a disk counts as full. */
const BARELY = 4096;

/** Errors that any path may have, not only those of our own folders. */
const OF_PROCESSES: ReadonlySet<string> = new Set(['EMFILE', 'ENOMEM']);

/**
 * Runs `perform` and gives system errors a message that says where they happened and what to do. Errors for which no
 * retry helps become final. `own`: folders without
 * which nothing works; an error also counts as one of the disk if one of them is missing or not accessible.
 */
export async function withAdvice<R>(perform: () => Promise<R>, own: readonly string[] = []): Promise<R> {
  try {
    return await perform();
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, own);
  }
}

function explain(error: NodeJS.ErrnoException, own: readonly string[]): Error {
  if (error instanceof SymlinkInTheWay) return ApplicationFailure.nonRetryable(error.message, 'SymlinkInTheWay');
  if (error instanceof MachineRefused) return ApplicationFailure.nonRetryable(error.message, 'MachineRefused');
  if (isStoreAway(error))
    return ApplicationFailure.create({ type: STORE_AWAY, message: `${error.message}; the step is retried` });
  const { syscall } = error;
  const code = codeOf(error);
  const path = isFull(error) ? placeOf(error, own) : error.path;
  const remedy = diskRemedy({ code, syscall, path }, (path) => blocking(path, code, own) !== null);
  const advice = code !== undefined && OF_PROCESSES.has(code) ? adviceMeanwhile(code) : null;
  if (remedy === null && advice === null) return error;
  const where = (path === undefined ? null : blocking(path, code, own)) ?? path ?? syscall ?? '';
  return ApplicationFailure.create({
    type: remedy === null ? (code ?? 'unknown') : DISK_FAILURE,
    message: `${where === '' ? '' : `${where}: `}${remedy ?? advice}${code === 'EMFILE' ? '' : '; the step is retried'}`,
  });
}

/** Path at which the disk is full. Node names no file if a write fails, and the source if a copy fails. */
const placeOf = (error: NodeJS.ErrnoException & { dest?: string }, own: readonly string[]): string | undefined =>
  own.find((folder) => diskError(folder, BARELY) !== null) ?? error.dest ?? error.path;

/** The folder or path in one of our folders that makes a path unusable; null if there is none. */
function blocking(path: string, code: string | undefined, own: readonly string[]): string | null {
  const folder = own.find((folder) => path === folder || path.startsWith(`${folder}/`));
  if (code !== 'ENOENT') return folder === undefined || code !== 'EACCES' ? null : path;
  return own.find((folder) => (path === folder || path.startsWith(`${folder}/`)) && !existsSync(folder)) ?? null;
}

/** V8 and Node report a lack of memory in their own ways. */
const codeOf = ({ code, message }: NodeJS.ErrnoException): string | undefined =>
  code === 'ERR_MEMORY_ALLOCATION_FAILED' || message === 'Array buffer allocation failed' ? 'ENOMEM' : code;
