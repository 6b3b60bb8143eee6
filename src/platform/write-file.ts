import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Names of temporary files and folders, with the pid of who writes them; who is killed leaves its half. */
export const TEMPORARY = /\.(\d+)-[0-9a-f]{8}\.tmp$/;

const temporaryName = (path: string): string =>
  `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;

async function writeTemporary(path: string, data: string | Uint8Array, mode: number): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = temporaryName(path);
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(data);
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return temporary;
}

/** Writes a file so that readers see the old content or the new, never a part. Creates the folder. */
export async function writeFileAtomic(path: string, data: string | Uint8Array, mode = 0o644): Promise<void> {
  const temporary = await writeTemporary(path, data, mode);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Publishes a file that may exist only once, whole. Returns false, and changes nothing, when someone was first.
 * `link()` is the one POSIX call that creates a complete file exclusively.
 */
export async function publishOnce(path: string, data: string, mode = 0o644): Promise<boolean> {
  const temporary = await writeTemporary(path, data, mode);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
