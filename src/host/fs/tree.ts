import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  createReadStream,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  readdirSync,
} from 'node:fs';
import { open, readdir, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { addPathToFullDiskError, workspacePathProblem } from '#lib';
import { copyContent, MAX_COPY, publicMode } from './copy-file.js';
import { temporaryName } from './write-file.js';

/** A file, folder or symlink of a tree, by its path relative to the root, with `/` between the parts. */
export type TreeEntry =
  | { kind: 'folder'; path: string }
  | { kind: 'file'; path: string; executable: boolean; bytes: number }
  | { kind: 'symlink'; path: string; to: string };

/** Returns whether an entry of a tree is passed over, with all that is below it. */
export type IsLeftOut = (path: string, isFolder: boolean) => boolean;

/** Thrown for entries that cannot be copied faithfully and safely. The message names the path and the reason. */
export class UnusableTree extends Error {}

/** True if a symlink at `path` (relative to the root) that points to `to` stays inside the root. */
export const staysInside = (path: string, to: string): boolean =>
  !to.startsWith('/') && workspacePathProblem(`${dirname(path)}/${to}`) === null;

/** Errors that the user can fix. */
const UNREADABLE: Record<string, string> = {
  EACCES: 'permission denied; change its permissions, or remove it from the folder',
  ENAMETOOLONG: 'its path is too long; nest less deeply',
};

/**
 * Returns all entries below `root`, in a fixed order.
 *
 * @throws UnusableTree for symlinks that leave the tree, sockets, devices, FIFOs, names that are not UTF-8, and files
 * that   cannot be read or are too large to be copied
 */
export async function listTree(root: string, isLeftOut: IsLeftOut = () => false): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const realRoot = realpathSync.native(root);
  const visit = async (folder: string): Promise<void> => {
    const names = await readdir(join(root, folder), { encoding: 'buffer' });
    const odd = names.find((name) => !isUtf8(name));
    if (odd !== undefined)
      throw new UnusableTree(`${join(root, folder, String(odd))}: the name is not UTF-8; rename it`);
    for (const name of names.map(String).sort()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const full = join(root, path);
      const info = lstatSync(full);
      if (isLeftOut(path, info.isDirectory())) continue;
      if (info.isDirectory()) {
        entries.push({ kind: 'folder', path });
        await visit(path);
      } else if (info.isSymbolicLink()) {
        const to = await readlink(full);
        // Checked as written and as resolved, because it may leave by another symlink. A dangling one resolves to
        // nothing.
        const real = await realpath(full).catch(() => realRoot);
        if (!staysInside(path, to) || (real !== realRoot && !real.startsWith(realRoot + sep))) {
          throw new UnusableTree(`${full}: symlink leaves the folder (${to}); copy what it points to into the folder`);
        }
        entries.push({ kind: 'symlink', path, to });
      } else if (info.isFile()) {
        accessSync(full, constants.R_OK);
        if (info.size > MAX_COPY)
          throw new UnusableTree(`${full}: larger than 4 GiB; create it in setup.commands, or use a smaller one`);
        entries.push({ kind: 'file', path, executable: (info.mode & 0o111) !== 0, bytes: info.size });
      } else {
        throw new UnusableTree(`${full}: neither file, folder nor symlink; remove it from the folder`);
      }
    }
  };
  try {
    await visit('');
  } catch (error) {
    const reason = UNREADABLE[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    throw new UnusableTree(`${(error as NodeJS.ErrnoException).path ?? root}: ${reason}`);
  }
  return entries;
}

/** Returns the SHA-256 of a file's content, in hex. */
export async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Returns the SHA-256 of names, kinds, executable bits and contents. Times, owners and other modes do not count. */
export async function hashTree(root: string, entries: readonly TreeEntry[]): Promise<string> {
  const hash = createHash('sha256');
  for (const entry of entries) {
    const content =
      entry.kind === 'file'
        ? `${entry.executable ? 'x' : '-'} ${await fileHash(join(root, entry.path))}`
        : entry.kind === 'symlink'
          ? entry.to
          : '';
    hash.update(`${JSON.stringify([entry.kind, entry.path, content])}\n`);
  }
  return hash.digest('hex');
}

/** Copies entries into a folder, by reference if the file system supports it. Their owner can write the copies. */
export async function copyTree(from: string, entries: readonly TreeEntry[], to: string): Promise<void> {
  mkdirSync(to, { recursive: true, mode: 0o755 });
  for (const entry of entries) {
    const target = join(to, entry.path);
    switch (entry.kind) {
      case 'folder':
        mkdirSync(target, { recursive: true, mode: 0o755 });
        break;
      case 'symlink':
        await rm(target, { force: true });
        await symlink(entry.to, target);
        break;
      case 'file': {
        const info = statSync(join(from, entry.path));
        await copyContent(join(from, entry.path), target, info);
        chmodSync(target, publicMode(entry.executable ? 0o755 : 0o644));
        utimesSync(target, info.atime, info.mtime);
      }
    }
  }
}

/** Removes a path if it exists, including folders without write permission (a Go module cache), and beyond PATH_MAX. */
export async function removeTree(path: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 };
  try {
    // Synchronous for small trees, because each file takes ten times as long in the thread pool.
    if (isSmallTree(path)) rmSync(path, options);
    else await rm(path, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'ENAMETOOLONG') throw error;
    // Rarely needed, and its hundred modules would delay the commands that only read.
    const { execa } = await import('execa');
    // Unlike Node, these descend step by step, and do not mind what Node is still removing.
    await execa('chmod', ['-R', 'u+rwx', path], { reject: false });
    await execa('rm', ['-rf', path]);
  }
}

/** Copies a tree to `<store>/<hash>`, completely or not at all. Returns the hash. */
export async function snapshotTree(root: string, store: string, isLeftOut?: IsLeftOut): Promise<string> {
  return snapshotEntries(root, await listTree(root, isLeftOut), store);
}

/** The same for an empty tree. */
export const snapshotNothing = (store: string): Promise<string> => snapshotEntries('', [], store);

async function snapshotEntries(root: string, entries: TreeEntry[], store: string): Promise<string> {
  const hash = await hashTree(root, entries);
  await storeOnce(join(store, hash), (folder) => copyTree(root, entries, folder));
  return hash;
}

/**
 * Like `createFolderOnce`, for a folder whose name promises its content: everything in it is on disk before it gets the
 * name. Otherwise, empty files under that name would be trusted for ever after a power failure.
 */
export async function storeOnce(folder: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  await createFolderOnce(folder, async (temporary) => {
    await fill(temporary);
    for (const { kind, path } of await listTree(temporary))
      if (kind !== 'symlink') await syncPath(join(temporary, path));
    await syncPath(temporary);
  });
  await syncPath(dirname(folder));
}

/** Waits until the content of a file, or the list of names in a folder, is on disk. */
async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Fills a folder under a temporary name and renames it. Does nothing if the folder exists. */
export async function createFolderOnce(folder: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  if (isRealFolder(folder)) return;
  const temporary = temporaryName(folder);
  try {
    mkdirSync(temporary, { recursive: true, mode: 0o755 });
    await fill(temporary);
    await rename(temporary, folder);
  } catch (error) {
    // Another process has created it in the meantime, with the same content.
    if (!isRealFolder(folder)) throw addPathToFullDiskError(error, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** True if a path names a folder. Does not follow symlinks. */
export function isRealFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

const ENTRIES = 200;
const BYTES = 4 * 1024 * 1024;

/** True if a folder can be copied or removed in a moment. Stops once it is too large. A missing folder is small. */
export function isSmallTree(root: string): boolean {
  let [entries, bytes] = [0, 0];
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      entries += 1;
      if (entry.isDirectory()) open.push(path);
      else bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (entries > ENTRIES || bytes > BYTES) return false;
    }
  }
  return true;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone, or unreadable, which takes no time either
  }
}
