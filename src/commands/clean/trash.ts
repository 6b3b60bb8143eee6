import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { treeBytes } from '../../platform/fs/tree-bytes.js';
import { isFolder, removeTree } from '../../platform/fs/tree.js';
import { CLEAN_KINDS, type CleanKind } from '../../results/records/clean-document.js';

/**
 * A folder to which things are moved before they are deleted, each in one step. So a `clean` that is killed leaves
 * nothing half-deleted in its original place, and nobody has to wait while gigabytes are deleted.
 */
export interface Trash {
  /** Moves a file or folder into the trash, sorted by its kind. Does nothing if it is already gone. */
  take(path: string, kind: CleanKind): Promise<void>;
  /** Deletes this trash, and that of interrupted `clean` commands. Calls `add` with the number of bytes by kind. */
  empty(add: (kind: CleanKind, bytes: number) => void): Promise<void>;
}

/** Creates a trash in a folder, which must be on the same file system as the files. */
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
        // a mount point cannot be moved, but its content can be deleted
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
