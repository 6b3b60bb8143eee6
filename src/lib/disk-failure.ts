/** What an operating system says of a disk that takes nothing, and what a person can do about it. */
const REMEDY: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space',
  EDQUOT: 'the disk quota is used up: free some space',
  EROFS: 'the folder is gone or read-only: make it writable',
  EACCES: "permission denied: make it writable for the worker's user",
  ENOENT: 'the folder is gone: put it back, or mount it again',
};

/** Errors that say so wherever they come from; the others only do so of our own folders. */
const ALWAYS = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

interface SystemError {
  code?: string | undefined;
  syscall?: string | undefined;
  path?: string | undefined;
}

/**
 * What to do about an error that means that a disk takes nothing for now, whatever is written; null for any other error.
 * `isOurs`: whether a path is in a folder of ours that cannot be used as a whole.
 */
export function diskRemedy(
  { code, syscall, path }: SystemError,
  isOurs: (path: string) => boolean = () => false,
): string | null {
  // Node reports a folder that cannot be made on a read-only file system as missing.
  const known = code === 'ENOENT' && syscall === 'mkdir' ? 'EROFS' : code;
  // inotify says the same when it is out of watches.
  if (known === undefined || syscall === 'watch' || syscall === 'inotify_add_watch') return null;
  if (!ALWAYS.has(known) && (path === undefined || !isOurs(path))) return null;
  return REMEDY[known] ?? null;
}

/** What is thrown when a disk has no room left, as opposed to one that cannot be written at all. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && ['ENOSPC', 'EDQUOT'].includes((error as SystemError).code ?? '');

/**
 * The error, which names `path` where a disk is full: Node names no file when a write fails, and the source when a copy does.
 */
export function namingFull(error: unknown, path: string): unknown {
  return isFull(error) ? Object.assign(error as Error, { path }) : error;
}
