import { randomBytes } from 'node:crypto';
import { closeSync, constants, ftruncateSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { remembered } from '../remembered.js';
import { statfs } from 'node:fs/promises';

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** The room that a run needs at least for its records: manifests, a report, a result line. */
const RESERVE_BYTES = 1024 * 1024;
/** With less room than this, an agent or a command may not have been able to write its output. */
export const MIN_FREE_BYTES = 64 * 1024;

/** Name of the file that is written to see whether a folder has room. It stays, empty. */
export const PROBE_FILE = '.write-test';

/** Random, because some file systems do not store zeros. Any random bytes will do. */
let block: Buffer | undefined;

/**
 * Writes this many bytes into a file of a folder and removes them. Only a real write shows whether there is a
 * quota or a read-only file system. The file itself stays, because ext4 searches long for a free inode after many
 * removals.
 *
 * @throws the file system's own error, with the folder as its path
 */
export function assertSpace(folder: string, bytes = RESERVE_BYTES): void {
  block ??= randomBytes(MIN_FREE_BYTES);
  try {
    const descriptor = openProbeFile(join(folder, PROBE_FILE));
    try {
      for (let left = bytes; left > 0;) left -= writeSync(descriptor, block, 0, Math.min(left, block.length));
    } finally {
      ftruncateSync(descriptor);
      closeSync(descriptor);
    }
    assertInode(folder);
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: folder });
  }
}

/**
 * Opens the file. Replaces one that belongs to another user, such as root, who has followed a sweep in the same folder.
 */
function openProbeFile(path: string): number {
  const open = (): number => openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    return open();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    rmSync(path, { force: true });
    return open();
  }
}

/** A disk with room may still accept no new file. File systems that do not count files report 0 of 0. */
function assertInode(folder: string): void {
  const { files, ffree } = statfsSync(folder);
  if (files > 0 && ffree === 0) throw Object.assign(new Error('ENOSPC: no file can be created'), { code: 'ENOSPC' });
}

/** When a folder last had room, by size and folder. */
const provedAt = remembered(() => new Map<string, number>());

/**
 * Like {@link assertSpace}, but does not write if the folder had room for as many bytes within the last `ms`
 * milliseconds: many runs of one worker check at the same moment.
 *
 * @throws the file system's own error, with the folder as its path
 */
export function assertRecentSpace(folder: string, ms: number, bytes = RESERVE_BYTES): void {
  const key = `${bytes} ${folder}`;
  const now = performance.now();
  if (now - (provedAt().get(key) ?? -Infinity) < ms) return;
  assertSpace(folder, bytes);
  provedAt().set(key, now);
}

/** Returns why a folder has no room; null if it has, or had within the last `ms` milliseconds. */
export function diskError(folder: string, bytes = RESERVE_BYTES, ms = 0): NodeJS.ErrnoException | null {
  try {
    assertRecentSpace(folder, ms, bytes);
    return null;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** By the numbers that Linux gives file systems. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB',
};

/** Returns which network file system an existing folder is on; null if it is on none, or on one that cannot be told. */
export async function networkFileSystem(folder: string): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  return NETWORK[(await statfs(folder)).type >>> 0] ?? null;
}
