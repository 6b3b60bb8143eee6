import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** The largest file that is read as a whole, in bytes: a string of Node cannot be much longer. */
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * Opens a file for reading, and returns its descriptor. Refuses a named pipe or a device, which someone may have put in the place
 * of a file: to open or to read it may never end.
 *
 * @throws what `open` throws, and an error with the code ENOTFILE
 */
export function openFile(path: string): number {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = fstatSync(descriptor);
  if (stat.isFile() || stat.isDirectory()) return descriptor; // reading a folder fails at once
  closeSync(descriptor);
  throw refusal('ENOTFILE', path);
}

/**
 * Returns the content of a file.
 *
 * @throws as `openFile`, and an error with the code EFBIG if it is larger than 512 MiB
 */
export function readBytes(path: string): Buffer {
  const descriptor = openFile(path);
  try {
    if (fstatSync(descriptor).size > MOST_BYTES) throw refusal('EFBIG', path);
    return readFileSync(descriptor);
  } catch (error) {
    // The system's error does not name the file.
    throw Object.assign(error as Error, { path });
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the text of a file, as `readBytes` reads it. */
export const readText = (path: string): string => readBytes(path).toString();

const refusal = (code: 'ENOTFILE' | 'EFBIG', path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code, syscall: 'open', path });

/**
 * Returns the text of a small file, or null if there is no such file. Throws other errors. Synchronous: otherwise each
 * of the four calls that a file takes would go through the thread pool, which costs ten times as much as the call.
 */
// eslint-disable-next-line @typescript-eslint/require-await -- errors must come as a rejection
export async function readTextIfThere(path: string): Promise<string | null> {
  try {
    return readText(path);
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
