import { readFileSync } from 'node:fs';

/**
 * The text of a small file, or null when there is no such file. Other errors are thrown. Read at once: each of the four
 * calls that a file takes would else go through the thread pool, which costs ten times as much as the call.
 */
// eslint-disable-next-line @typescript-eslint/require-await -- errors are to come as a rejection
export async function readTextIfThere(path: string): Promise<string | null> {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** The file's JSON, or null when there is no such file. Throws on a file that is not JSON. */
export async function readJsonIfThere<T>(path: string): Promise<T | null> {
  const text = await readTextIfThere(path);
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    // Without the reason, which quotes the text: it may hold what no message should.
    throw new Error(`${path} is not JSON`);
  }
}
