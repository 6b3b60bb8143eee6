import { accessSync, constants, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * True if there is a file that we may execute. Folders can have that permission too, but do not count. Synchronous,
 * because most folders on a PATH do not have the file, and every run looks for its agent and its target.
 */
// eslint-disable-next-line @typescript-eslint/require-await -- callers need not know that it is synchronous
export async function isExecutable(path: string): Promise<boolean> {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the first file with this name on a PATH, executable or not, or null. */
export async function findFile(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    if (folder !== '' && (await stat(file).catch(() => null))?.isFile() === true) return file;
  }
  return null;
}

/** Returns the first executable file with this name on a PATH, or null. A name with slashes is used as a path. */
export async function findExecutable(name: string, path = process.env['PATH'] ?? ''): Promise<string | null> {
  if (name.includes('/')) return (await isExecutable(name)) ? name : null;
  for (const folder of path.split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return null;
}
