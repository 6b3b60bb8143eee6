interface Advice {
  /** For a command, which has ended. */
  now: string;
  /** For a step or an engine, which waits or tries again. */
  meanwhile?: string;
}

/** Advice on errors of the operating system. */
const ADVICE: Record<string, Advice> = {
  ENOSPC: {
    now: 'the disk is full; free some space and try again',
    meanwhile: 'the disk is full: free some space',
  },
  EDQUOT: {
    now: 'the disk quota is used up; free some space and try again',
    meanwhile: 'the disk quota is used up: free some space',
  },
  EROFS: {
    now: 'the file system is read-only; make it writable, or choose another folder',
    meanwhile: 'the folder is gone or read-only: make it writable',
  },
  EACCES: {
    now: 'permission denied; change its permissions',
    meanwhile: "permission denied: make it writable for the worker's user",
  },
  EPERM: { now: 'operation not permitted; change its permissions' },
  ENOENT: {
    now: 'no such file or folder; it was moved or deleted',
    meanwhile: 'the folder is gone: put it back, or mount it again',
  },
  ENOTDIR: { now: 'a part of this path is not a folder' },
  EISDIR: { now: 'this is a folder, but a file is expected' },
  ENOTFILE: { now: 'this is a named pipe or a device, but a file is expected' },
  EFBIG: { now: 'larger than 512 MiB; a file of this size is not read' },
  ENAMETOOLONG: { now: 'the path is too long; choose a shorter one' },
  ELOOP: { now: 'its symlinks form a loop' },
  EIO: { now: 'the disk reported an error' },
  EMFILE: {
    now: 'too many open files; raise the limit (ulimit -n)',
    meanwhile: 'too many open files: raise the limit (ulimit -n) and restart the engine',
  },
  ENFILE: { now: 'too many open files on this machine' },
  ENOMEM: { now: 'out of memory', meanwhile: 'out of memory: lower --concurrency' },
  EAGAIN: { now: 'cannot start another process or thread; raise the limit (ulimit -u)' },
};

/** Returns the message for a failed system call, with its path; null for any other error. */
export function systemFailure(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || !/^E[A-Z0-9]+$/.test(code)) return null;
  const advice = ADVICE[code]?.now;
  if (advice === undefined) return error.message;
  return `${shortPath(path) ?? syscall}: ${advice}`;
}

const shortPath = (path: string | undefined): string | undefined =>
  path !== undefined && path.length > 300 ? `${path.slice(0, 300)}…` : path;

/** These mean that a disk cannot be written, wherever they occur. The others mean it only in our own folders. */
const ALWAYS = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);
const IN_OUR_FOLDERS = new Set(['EACCES', 'ENOENT']);

interface SystemError {
  code?: string | undefined;
  syscall?: string | undefined;
  path?: string | undefined;
}

/**
 * Returns what to do about an error that means that a disk cannot be written for now; null for any other error.
 * `isOurs` tells whether a path is in one of our folders that cannot be used as a whole.
 */
export function diskRemedy(
  { code, syscall, path }: SystemError,
  isOurs: (path: string) => boolean = () => false,
): string | null {
  // If a folder cannot be created on a read-only file system, Node reports it as missing.
  const known = code === 'ENOENT' && syscall === 'mkdir' ? 'EROFS' : code;
  // `inotify` reports the same code when it has no watches left.
  if (known === undefined || syscall === 'watch' || syscall === 'inotify_add_watch') return null;
  if (!ALWAYS.has(known) && (!IN_OUR_FOLDERS.has(known) || path === undefined || !isOurs(path))) return null;
  return adviceMeanwhile(known);
}

/** Returns advice about an error of the system, while what failed is tried again; null if there is none. */
export const adviceMeanwhile = (code: string | undefined): string | null =>
  (code === undefined ? undefined : ADVICE[code]?.meanwhile) ?? null;

/** True for an error of a disk without room, as opposed to one that cannot be written at all. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && ['ENOSPC', 'EDQUOT'].includes((error as SystemError).code ?? '');

/**
 * Makes the error of a full disk name `path`: Node names no file when a write fails, and the source when a copy fails.
 * Returns the error.
 */
export function addPathToFullDiskError(error: unknown, path: string): unknown {
  return isFull(error) ? Object.assign(error as Error, { path }) : error;
}
