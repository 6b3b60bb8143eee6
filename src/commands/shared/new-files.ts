import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createBelow, displayPath } from '#host';
import { addPathToFullDiskError, fileProblem, isFull, UsageError } from '#lib';
import { isFile } from '#planning';

/** A file that a verb creates. The path is relative to the folder. */
export interface NewFile {
  path: string;
  content: string | Buffer;
  mode: number;
}

/**
 * Creates all files or none. Overwrites none, unless `replace` is set.
 *
 * @throws UsageError if paths already exist, or if a file cannot be written; then removes those created before
 */
export function writeNewFiles(folder: string, files: readonly NewFile[], replace = false): void {
  const taken = inTheWay(folder, files).filter((path) => !(replace && isFile(resolve(path))));
  if (taken.length > 0) {
    throw new UsageError(
      'files_in_the_way',
      `nothing was written because ${taken.length === 1 ? 'this path already exists' : 'these paths already exist'}; choose another folder or move ${taken.length === 1 ? 'it' : 'them'}`,
      taken.map((path) => fileProblem(path, 'already exists')),
    );
  }
  if (replace) for (const { path } of files) rmSync(join(folder, path), { force: true });
  write(folder, files);
}

/** Writes below a path that the user named, or to it. `what`: how a failure begins. @throws UsageError if that fails */
export async function orUnwritable(path: string, what: string, write: () => Promise<void> | void): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isFull(error)) throw addPathToFullDiskError(error, path);
    throw new UsageError('files_unwritable', `${what}: ${(error as Error).message}`);
  }
}

/** Returns files that already exist, and files in places where folders must be created. */
function inTheWay(folder: string, files: readonly NewFile[]): string[] {
  const look = (path: string) => {
    try {
      return lstatSync(path);
    } catch {
      // Missing, or below something that is not a folder, which is found itself.
      return undefined;
    }
  };
  const foldersUpTo = (path: string): string[] => (path === folder ? [folder] : [...foldersUpTo(dirname(path)), path]);
  const needed = new Set(files.flatMap(({ path }) => foldersUpTo(dirname(join(folder, path)))));
  const blocked = [...needed].filter((path) => {
    const found = look(path);
    // Assumes that a symlink leads to a folder; if not, writing fails and says so.
    return found !== undefined && !found.isDirectory() && !found.isSymbolicLink();
  });
  const existing = files.map(({ path }) => join(folder, path)).filter((path) => look(path) !== undefined);
  return [...blocked, ...existing].map(displayPath);
}

function write(folder: string, files: readonly NewFile[]): void {
  const made: string[] = [];
  try {
    for (const { path, content, mode } of files) {
      const file = join(folder, path);
      made.push(...createBelow('/', dirname(file)));
      // Exclusive, so that a file created in the meantime is not overwritten either.
      writeFileSync(file, content, { mode, flag: 'wx' });
      made.push(file);
    }
  } catch (error) {
    for (const path of made) rmSync(path, { recursive: true, force: true });
    throw new UsageError('files_unwritable', `nothing was written because of an error: ${(error as Error).message}`);
  }
}
