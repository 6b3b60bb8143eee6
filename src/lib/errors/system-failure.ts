/** What a person can do about an error of the operating system. */
const ADVICE: Record<string, string> = {
  ENOSPC: 'the disk is full; free some space and try again',
  EDQUOT: 'the disk quota is used up; free some space and try again',
  EROFS: 'the file system is read-only; make it writable, or choose another folder',
  EACCES: 'permission denied; change its permissions',
  EPERM: 'operation not permitted; change its permissions',
  ENOENT: 'no such file or folder; it was moved or deleted',
  ENOTDIR: 'a part of this path is not a folder',
  EISDIR: 'this is a folder, but a file is expected',
  ENOTFILE: 'this is a named pipe or a device, but a file is expected',
  EFBIG: 'larger than 512 MiB; a file of this size is not read',
  ENAMETOOLONG: 'the path is too long; choose a shorter one',
  ELOOP: 'its symlinks form a loop',
  EIO: 'the disk reported an error',
  EMFILE: 'too many open files; raise the limit (ulimit -n)',
  ENFILE: 'too many open files on this machine',
  ENOMEM: 'out of memory',
  EAGAIN: 'cannot start another process or thread; raise the limit (ulimit -u)',
};

/** Returns the message for a failed system call, with its path; null for any other error. */
export function systemFailure(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || !/^E[A-Z0-9]+$/.test(code)) return null;
  const advice = ADVICE[code];
  if (advice === undefined) return error.message;
  return `${shortPath(path) ?? syscall}: ${advice}`;
}

const shortPath = (path: string | undefined): string | undefined =>
  path !== undefined && path.length > 300 ? `${path.slice(0, 300)}…` : path;
