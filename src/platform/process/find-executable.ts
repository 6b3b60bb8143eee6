import { accessSync, constants, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * Whether there is a file that we may execute; folders have that permission too, and do not count. Looked up at once: most
 * folders of a PATH do not have it, and every run asks for its agent and its target.
 */
// eslint-disable-next-line @typescript-eslint/require-await -- who asks need not know
export async function isExecutable(path: string): Promise<boolean> {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first file of that name on a PATH, executable or not, or null. */
export async function findFile(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    if (folder !== '' && (await stat(file).catch(() => null))?.isFile() === true) return file;
  }
  return null;
}

/** The first executable file of that name on a PATH, or null. A name with slashes is looked at as it is. */
export async function findExecutable(name: string, path = process.env['PATH'] ?? ''): Promise<string | null> {
  if (name.includes('/')) return (await isExecutable(name)) ? name : null;
  for (const folder of path.split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return null;
}
