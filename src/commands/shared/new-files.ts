import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { displayPath } from '../../platform/display-path.js';
import { UsageError } from '../../lib/usage-error.js';

/** A file that a verb makes. The path is relative to the folder. */
export interface NewFile {
  path: string;
  content: string;
  mode: number;
}

/**
 * Makes all files, or none; none is overwritten.
 * @throws UsageError where files are in the way, or one cannot be written: what was made is taken back.
 */
export function writeNewFiles(folder: string, files: readonly NewFile[]): void {
  const taken = inTheWay(folder, files);
  if (taken.length > 0) {
    throw new UsageError(
      'files_in_the_way',
      `nothing was written because ${taken.length === 1 ? 'this path already exists' : 'these paths already exist'}; choose another folder or move ${taken.length === 1 ? 'it' : 'them'}`,
      taken.map((path) => ({ file: path, line: 1, column: 1, path: '', message: 'already exists' })),
    );
  }
  write(folder, files);
}

/** Files of ours that are there already, and files that stand where a folder must be made. */
function inTheWay(folder: string, files: readonly NewFile[]): string[] {
  const look = (path: string) => {
    try {
      return lstatSync(path);
    } catch {
      // Not there, or below something that is no folder, which is found by itself.
      return undefined;
    }
  };
  const foldersUpTo = (path: string): string[] =>
    path === folder ? [folder] : [...foldersUpTo(dirname(path)), path];
  const needed = new Set(files.flatMap(({ path }) => foldersUpTo(dirname(join(folder, path)))));
  const blocked = [...needed].filter((path) => {
    const found = look(path);
    // A symlink is taken for a folder: should it be none, writing fails and says so.
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
      const first = mkdirSync(dirname(file), { recursive: true });
      if (first !== undefined) made.push(first);
      // Exclusive: what has come in between is not overwritten either.
      writeFileSync(file, content, { mode, flag: 'wx' });
      made.push(file);
    }
  } catch (error) {
    for (const path of made) rmSync(path, { recursive: true, force: true });
    throw new UsageError(
      'files_unwritable',
      `nothing was written because of an error: ${(error as Error).message}`,
    );
  }
}
