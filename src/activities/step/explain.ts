import { ApplicationFailure } from '@temporalio/common';

/** What a person can do about an operating system's error; the step is tried again meanwhile. */
const ADVICE: Record<string, string> = {
  ENOSPC: 'the disk is full: free some space, the step is tried again',
  EDQUOT: 'the disk quota is used up: free some space, the step is tried again',
  EROFS: 'the folder is gone or read-only: make it writable, the step is tried again',
  EACCES: 'permission is denied: make it writable for the user of the worker, the step is tried again',
  EMFILE: 'too many open files: raise the limit (ulimit -n) and restart the engine',
  ENOMEM: 'there is no memory left: lower --concurrency, the step is tried again',
};

/** Activities whose errors of the machine get a message that says where it happened and what to do. */
export function explainAll<T extends Record<string, (...args: never[]) => Promise<unknown>>>(
  activities: T,
): T {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    (...args: never[]) => explained(() => activity(...args)),
  ]);
  return Object.fromEntries(wrapped) as T;
}

/** The same for a part of an activity, which records its failure itself. */
export async function explained<R>(perform: () => Promise<R>): Promise<R> {
  try {
    return await perform();
  } catch (error) {
    const { path, syscall } = error as NodeJS.ErrnoException;
    const code = codeOf(error as NodeJS.ErrnoException);
    // Node reports a folder that cannot be made on a read-only file system as missing.
    const known = code === 'ENOENT' && syscall === 'mkdir' ? 'EROFS' : code;
    const advice = known === undefined ? undefined : ADVICE[known];
    if (advice === undefined) throw error;
    const where = path ?? syscall ?? '';
    throw ApplicationFailure.create({
      type: code ?? 'unknown',
      message: `${where === '' ? '' : `${where}: `}${advice}`,
    });
  }
}

/** V8 and Node have names of their own for a lack of memory. */
const codeOf = ({ code, message }: NodeJS.ErrnoException): string | undefined =>
  code === 'ERR_MEMORY_ALLOCATION_FAILED' || message === 'Array buffer allocation failed' ? 'ENOMEM' : code;
