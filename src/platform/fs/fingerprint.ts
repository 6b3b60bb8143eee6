import { statSync, type BigIntStats } from 'node:fs';
import { fileHash } from './tree.js';

/** Larger files (whole runtimes) are told apart by size and time: to read them for every run costs too much. */
const CONTENT_LIMIT = 64 * 1024 * 1024;

const known = new Map<string, { stamp: string; hash: string }>();
const KEPT = 20_000;

/** What changes when a file does: the SHA-256 of its content, remembered while it stays as it is; null for no file. */
export async function fingerprint(path: string): Promise<string | null> {
  const info = statOf(path);
  if (info?.isFile() !== true) return null;
  const stamp = [info.dev, info.ino, info.size, info.mtimeNs, info.ctimeNs].join(' ');
  if (info.size > CONTENT_LIMIT) return `${info.size} ${info.mtimeNs}`;
  const before = known.get(path);
  if (before?.stamp === stamp) return before.hash;
  const hash = await fileHash(path).catch(() => null);
  if (hash === null) return null;
  if (known.size >= KEPT) known.clear();
  known.set(path, { stamp, hash });
  return hash;
}

function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
}
