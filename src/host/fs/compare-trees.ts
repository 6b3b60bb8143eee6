import { join } from 'node:path';
import { fileHash, listTree, type TreeEntry } from './tree.js';
import { lstat, readdir } from 'node:fs/promises';

/** Returns the paths of files and symlinks that differ between two folders, or are in only one of them; sorted. */
export async function differingFiles(a: string, b: string): Promise<string[]> {
  const [before, after] = [await entriesOf(a), await entriesOf(b)];
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  const differ: string[] = [];
  // One after the other: a fixture may have more files than can be open at the same time.
  for (const path of paths) if (!(await isSame(a, before.get(path), b, after.get(path)))) differ.push(path);
  return differ;
}

type Content = Exclude<TreeEntry, { kind: 'folder' }>;

async function entriesOf(root: string): Promise<Map<string, Content>> {
  const entries = await listTree(root);
  return new Map(entries.flatMap((entry) => (entry.kind === 'folder' ? [] : [[entry.path, entry]])));
}

async function isSame(a: string, one: Content | undefined, b: string, other: Content | undefined): Promise<boolean> {
  if (one === undefined || other === undefined) return false;
  if (JSON.stringify(one) !== JSON.stringify(other)) return false;
  return one.kind === 'symlink' || (await fileHash(join(a, one.path))) === (await fileHash(join(b, other.path)));
}

/** Returns the bytes of a file, or of all files in a folder. Does not follow symlinks. Unreadable files count 0. */
export async function treeBytes(path: string): Promise<number> {
  const info = await lstat(path).catch(() => null);
  if (info === null) return 0;
  if (!info.isDirectory()) return info.size;
  let sum = 0;
  for (const name of await readdir(path).catch(() => [])) sum += await treeBytes(join(path, name));
  return sum;
}
