import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the bytes of a file, or of all files in a folder. Does not follow symlinks. Unreadable files count 0. */
export async function treeBytes(path: string): Promise<number> {
  const info = await lstat(path).catch(() => null);
  if (info === null) return 0;
  if (!info.isDirectory()) return info.size;
  let sum = 0;
  for (const name of await readdir(path).catch(() => [])) sum += await treeBytes(join(path, name));
  return sum;
}
