import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { treeBytes } from '../../platform/fs/tree-bytes.js';
import { isFolder, removeTree } from '../../platform/fs/tree.js';
import { CLEAN_KINDS, type CleanKind } from '../../results/records/clean-document.js';

/**
 * What is to be deleted goes into a folder aside first, in one step each: a `clean` that is killed leaves things whole in
 * one place or the other, and nobody waits while gigabytes are deleted.
 */
export interface Trash {
  /** Takes a file or folder away under the name of its kind. What is gone already is no error. */
  take(path: string, kind: CleanKind): Promise<void>;
  /** Deletes all of it, and what an interrupted `clean` has left; `add` is told how many bytes that are by kind. */
  empty(add: (kind: CleanKind, bytes: number) => void): Promise<void>;
}

/** Trash in a folder on the same file system as what it takes. */
export function createTrash(parent: string): Trash {
  const folder = join(parent, `trash-${process.pid}-${randomBytes(4).toString('hex')}`);
  let taken = 0;
  return {
    async take(path, kind) {
      const target = join(folder, kind, String(taken++));
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      try {
        await rename(path, target);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // A mount of its own cannot be moved; what is in it can be removed.
        if (code === 'EXDEV' || code === 'EBUSY') await removeTree(path);
        else if (code !== 'ENOENT') throw error;
      }
    },
    async empty(add) {
      for (const name of await readdir(parent).catch(() => [])) {
        const left = join(parent, name);
        if (!name.startsWith('trash-') || !(await isFolder(left))) continue;
        for (const kind of CLEAN_KINDS) add(kind, await treeBytes(join(left, kind)));
        await removeTree(left);
      }
    },
  };
}
