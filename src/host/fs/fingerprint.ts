import { statSync, type BigIntStats } from 'node:fs';
import { fileHash } from './tree.js';
import { remembered } from '../remembered.js';

/** Larger files (whole runtimes) are compared by size and time: reading them for every run would take too long. */
const MAX_CONTENT = 64 * 1024 * 1024;

const known = remembered(() => new Map<string, { stamp: string; hash: string }>());
const KEPT = 20_000;
/** File systems count time in steps: what has changed just now may change again within the same one. */
const SETTLED_NS = 2_000_000_000n;

/** True of a file that cannot change again without another stamp. */
export const isSettled = ({ ctimeNs }: Pick<BigIntStats, 'ctimeNs'>): boolean =>
  BigInt(Date.now()) * 1_000_000n - ctimeNs > SETTLED_NS;

/**
 * Returns a text that changes with a file: the SHA-256 of its content, cached while the file is unchanged, or the size
 * and time of a large file; null if it is not a readable file.
 */
export async function fingerprint(path: string): Promise<string | null> {
  const info = statOf(path);
  if (info?.isFile() !== true) return null;
  const stamp = [info.dev, info.ino, info.size, info.mtimeNs, info.ctimeNs].join(' ');
  if (info.size > MAX_CONTENT) return `${info.size} ${info.mtimeNs}`;
  const before = known().get(path);
  if (before?.stamp === stamp) return before.hash;
  const hash = await fileHash(path).catch(() => null);
  if (hash === null) return null;
  // A file that has changed just now may change again without another stamp.
  if (!isSettled(info)) return hash;
  if (known().size >= KEPT) known().clear();
  known().set(path, { stamp, hash });
  return hash;
}

function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
}
