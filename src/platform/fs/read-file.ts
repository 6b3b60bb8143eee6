import { readFileSync } from 'node:fs';

/**
 * Returns the text of a small file, or null if there is no such file. Throws other errors. Synchronous: otherwise each
 * of the four calls that a file takes would go through the thread pool, which costs ten times as much as the call.
 */
// eslint-disable-next-line @typescript-eslint/require-await -- errors must come as a rejection
export async function readTextIfThere(path: string): Promise<string | null> {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Returns the file's JSON, or null if there is no such file. Throws if the file is not JSON. */
export async function readJsonIfThere<T>(path: string): Promise<T | null> {
  const text = await readTextIfThere(path);
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    // Without the parser's reason, which quotes the text: that may contain a secret.
    throw new Error(`${path} is not JSON`);
  }
}
