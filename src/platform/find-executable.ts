import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Whether there is a file that we may execute; folders have that permission too, and do not count. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
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
