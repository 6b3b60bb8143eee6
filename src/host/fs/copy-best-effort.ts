import { accessSync, chmodSync, constants, lstatSync, mkdirSync, type Stats } from 'node:fs';
import { open, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { sep } from 'node:path';
import { copyContent, MAX_COPY, publicMode } from './copy-file.js';

/** Returns the changed content of a file, or null to keep it as it is. */
export type Mask = (content: Buffer) => Buffer | null;

/** A path in the workspace that is not copied, and the reason. */
export interface SkippedEntry {
  path: string;
  reason: string;
}

/** Larger files are not read into memory, and files that were not masked are not copied. */
const MAX_MASK = 256 * 1024 * 1024;
const MAX_NAME = 255;

/** Like `join`, for names that may not be UTF-8. */
const inside = (folder: string | Buffer, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from(sep), name]);

function isPermitted(path: Buffer, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Returns why an entry is not copied; null if it is. */
function obstacle(path: Buffer, info: Stats, masked: boolean): string | null {
  const { R_OK, X_OK } = constants;
  if (info.isSymbolicLink()) return null;
  if (info.isDirectory()) return isPermitted(path, R_OK | X_OK) ? null : 'permission denied';
  if (!info.isFile()) return 'neither file, folder nor symlink';
  if (!isPermitted(path, R_OK)) return 'permission denied';
  if (info.size > MAX_COPY) return 'larger than 4 GiB';
  return masked && info.size > MAX_MASK ? 'larger than 256 MiB, too large for masking secrets' : null;
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Calls `use` with an opened file or folder. On Linux, no symlink can take its place while it is used. */
async function opened<T>(
  path: string | Buffer,
  flags: number,
  use: (place: string | Buffer) => Promise<T>,
): Promise<T> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | flags);
  try {
    return await use(process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : path);
  } finally {
    await file.close();
  }
}

/**
 * Copies what an agent left, whatever it is. Keeps symlinks as they are, and names byte for byte unless they contain a
 * secret. Removes setuid and setgid bits and the write permissions of others. Returns what was not copied. If `to` is
 * null, only checks what would not be copied.
 */
export async function copyBestEffort(
  from: string | Buffer,
  to: string | Buffer | null,
  mask: Mask | null,
  below = '',
): Promise<SkippedEntry[]> {
  if (to !== null) mkdirSync(to, { recursive: true, mode: 0o755 });
  return opened(from, O_DIRECTORY, (folder) => copyEntries(folder, to, mask, below));
}

async function copyEntries(
  from: string | Buffer,
  to: string | Buffer | null,
  mask: Mask | null,
  below: string,
): Promise<SkippedEntry[]> {
  const leftOut: SkippedEntry[] = [];
  const taken = new Set<string>();
  for (const name of await readdir(from, { encoding: 'buffer' })) {
    const path = `${below}${String(name)}`;
    const source = inside(from, name);
    try {
      const info = lstatSync(source);
      const reason = obstacle(source, info, mask !== null);
      if (reason !== null) leftOut.push({ path, reason });
      else {
        const target = to === null ? null : inside(to, freeName(taken, maskedName(name, mask)));
        if (info.isDirectory()) leftOut.push(...(await copyBestEffort(source, target, mask, `${path}/`)));
        else if (target !== null) await copyEntry(source, target, info, mask);
      }
    } catch (error) {
      const reason = PASSED_OVER[(error as NodeJS.ErrnoException).code ?? ''];
      if (reason === undefined) throw error;
      leftOut.push({ path, reason });
    }
  }
  return leftOut;
}

/** Errors that are a problem of the entry and not of the disk. */
const PASSED_OVER: Record<string, string> = {
  ENAMETOOLONG: 'its path is too long',
  ENOENT: 'deleted during the copy',
  ELOOP: 'replaced by a symlink during the copy',
  ENOTDIR: 'replaced during the copy',
};

async function copyEntry(source: Buffer, target: Buffer, info: Stats, mask: Mask | null): Promise<void> {
  if (info.isSymbolicLink()) {
    const to = await readlink(source, { encoding: 'buffer' });
    return symlink(mask?.(to) ?? to, target);
  }
  await opened(source, 0, async (file) => {
    const masked = mask === null ? null : mask(await readFile(file));
    if (masked === null) await copyContent(file, target, info);
    else await writeFile(target, masked, { mode: 0o600 });
  });
  chmodSync(target, publicMode(info.mode));
}

/** Cuts the masked name, because a marker may be longer than what it masks. */
const maskedName = (name: Buffer, mask: Mask | null): Buffer => {
  const masked = mask?.(name) ?? null;
  return masked === null ? name : masked.subarray(0, MAX_NAME);
};

/** Numbers names that are the same after masking. */
function freeName(taken: Set<string>, name: Buffer): Buffer {
  for (let count = 1; ; count++) {
    const end = count === 1 ? '' : `.${count}`;
    const free = Buffer.concat([name.subarray(0, MAX_NAME - end.length), Buffer.from(end)]);
    if (taken.has(free.toString('latin1'))) continue;
    taken.add(free.toString('latin1'));
    return free;
  }
}
