import { constants } from 'node:fs';
import { chmod, link, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { copyBestEffort, createFolderOnce, isRealFolder, readInside, removeTree, temporaryName } from '#host';
import { withinTime } from './answer-time.js';
import { checkedName, isHidden } from './names.js';
import type { SharedStore } from './shared-store.js';

/** A file of at most this size is written and read at once, so no reader sees a part of it. */
const AT_ONCE = 4096;
const MAX_FILE = 256 * 1024 * 1024;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';
const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error));

/**
 * A shared folder, which may be on NFS: objects are files. All calls are asynchronous, unlike in other modules, because
 * a file server that does not answer may block a call for ever.
 */
export function createFolderStore(folder: string): SharedStore {
  const root = resolve(folder);
  const pathOf = (name: string): string => join(root, checkedName(name));
  const answer = <T>(work: Promise<T>): Promise<T> =>
    withinTime(work, `${root} does not answer; check its file server and the network`);

  return {
    location: root,
    get: async (name) => answer(read(pathOf(name))),
    writtenAt: async (name) => answer(timeOf(pathOf(name))),
    put: async (name, data) => answer(replace(root, pathOf(name), Buffer.from(data))),
    putOnce: async (name, data) => answer(create(root, pathOf(name), Buffer.from(data))),
    list: async (name) => answer(objectsIn(pathOf(name))),
    remove: async (name) => removeTree(pathOf(name)),
    putFolder: async (name, from) => storeFolder(root, from, pathOf(name)),
    async getFolder(name, to) {
      const stored = pathOf(name);
      if (!isRealFolder(stored)) return false;
      await createFolderOnce(to, (temporary) => copyWhole(stored, temporary));
      return true;
    },
    async getFileOf(name, path) {
      try {
        return await readInside(pathOf(name), checkedName(path), MAX_FILE);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  };
}

/**
 * Reads without blocking this process, because the file may be on another machine. A named pipe or a device counts as
 * empty.
 */
async function readRegular(path: string | Buffer): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return (await file.stat()).isFile() ? await file.readFile() : Buffer.alloc(0);
  } finally {
    await file.close();
  }
}

/** On NFS, a file that is replaced while it is read is stale. Then it is read again. */
async function read(path: string, retries = 5): Promise<Buffer | null> {
  try {
    return await readRegular(path);
  } catch (error) {
    if (isMissing(error)) return null;
    if (codeOf(error) === 'ESTALE' && retries > 0) return read(path, retries - 1);
    throw error;
  }
}

async function timeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function objectsIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !isHidden(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Only `link` creates a complete file exclusively, also on NFS. It may report EEXIST although it has succeeded, if the
 * server's answer was lost and the client has repeated the request. So the contents decide.
 */
async function create(root: string, path: string, data: Buffer): Promise<boolean> {
  const temporary = await writeTemporary(root, path, data);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return (await read(path))?.equals(data) ?? false;
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * An object that is rewritten again and again keeps its file if it can. An NFS client asks the server for the state of
 * a file whenever it opens it, but may believe for a minute that a name still means the file it meant before.
 */
async function replace(root: string, path: string, data: Buffer): Promise<void> {
  if (data.length <= AT_ONCE && (await overwrite(path, data))) return;
  const temporary = await writeTemporary(root, path, data);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Writes over a file of the same size. Returns false, and changes nothing, if there is none. */
async function overwrite(path: string, data: Buffer): Promise<boolean> {
  try {
    const file = await open(path, 'r+');
    try {
      if ((await file.stat()).size !== data.length) return false;
      await file.write(data, 0, data.length, 0);
      await file.datasync();
      return true;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function writeTemporary(root: string, path: string, data: Buffer): Promise<string> {
  const group = await makeFolder(root, dirname(path));
  const temporary = temporaryName(path);
  const file = await open(temporary, 'wx', isPrivate(root, path) ? 0o600 : 0o644);
  try {
    if (group) await file.chmod(isPrivate(root, path) ? 0o660 : 0o664);
    await file.writeFile(data);
    await file.datasync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return temporary;
}

const isPrivate = (root: string, path: string): boolean => `${path}/`.startsWith(join(root, '.shared/'));

/** Creates a folder below the root. Returns whether the group that may write to the root may write to everything. */
async function makeFolder(root: string, folder: string): Promise<boolean> {
  await mkdir(root, { recursive: true, mode: 0o755 });
  const group = ((await stat(root)).mode & 0o020) !== 0;
  const mode = isPrivate(root, folder) ? 0o700 : 0o755;
  const first = await mkdir(folder, { recursive: true, mode });
  if (group && first !== undefined)
    for (let made = folder; made.length >= first.length; made = dirname(made)) await allowGroup(made);
  return group;
}

async function storeFolder(root: string, from: string, to: string): Promise<void> {
  if (isRealFolder(to)) return;
  const group = await makeFolder(root, dirname(to));
  await createFolderOnce(to, async (temporary) => {
    await copyWhole(from, temporary);
    await settle(Buffer.from(temporary), group);
  });
}

async function copyWhole(from: string, to: string): Promise<void> {
  const [left] = await copyBestEffort(from, to, null);
  if (left !== undefined) throw new Error(`cannot copy ${join(from, left.path)}: ${left.reason}`);
}

/** Waits until all files of a folder are on disk, and lets the group write to its folders if it may. */
async function settle(folder: Buffer, group: boolean): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    const path = Buffer.concat([folder, Buffer.from('/'), entry.name]);
    if (entry.isDirectory()) await settle(path, group);
    else if (entry.isFile()) await sync(path);
  }
  if (group) await allowGroup(folder);
  await sync(folder);
}

async function allowGroup(folder: string | Buffer): Promise<void> {
  await chmod(folder, ((await lstat(folder)).mode & 0o7777) | 0o070);
}

async function sync(path: Buffer): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
