import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { beginningOf } from '#lib';

/** The largest file that is read as a whole, in bytes: a string of Node cannot be much longer. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Opens a file for reading, and returns its descriptor. Refuses a named pipe or a device, which someone may have put in
 * the place of a file: to open or to read it may never end.
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
    if (fstatSync(descriptor).size > MAX_BYTES) throw refusal('EFBIG', path);
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

/** In characters. Agents write lines of more than a megabyte; longer ones are cut and marked. */
const MAX_LINE = 4 * 1024 * 1024;
const CHUNK = 256 * 1024;

export interface Line {
  text: string;
  /** Where in the file the line ends, in bytes. */
  end: number;
  /** True if it ends with a newline. The last line of a file that is being written may be incomplete. */
  whole: boolean;
  /** True if its end was dropped. */
  cut: boolean;
}

/** Reads a file that is being written, each byte once. */
export interface LineTail {
  /** Yields the lines that have been completed since the last call. Must be read to its end. */
  lines(): Generator<Line>;
  /** The last line of a file that nobody writes any more, if it does not end with a newline; else null. */
  end(): Line | null;
  /** Closes the file. The next call of `lines` opens it again, and continues where it was. */
  close(): void;
}

/** `limit` is the longest line, in characters; `from` is the start of a line, in bytes. */
export function tailLines(path: string, limit = MAX_LINE, from = 0): LineTail {
  const decoder = new StringDecoder('utf8');
  let chunk: Buffer | null = null;
  let file: number | null = null;
  let rest = '';
  let offset = from;
  const next = (into: Buffer): number => {
    try {
      file ??= openFile(path);
      return readSync(file, into, 0, CHUNK, offset);
    } catch (error) {
      // The system's error does not name the file.
      throw Object.assign(error as Error, { path });
    }
  };
  return {
    *lines() {
      chunk ??= Buffer.alloc(CHUNK);
      for (let read = next(chunk); read > 0; read = next(chunk)) {
        let begin = 0;
        for (let at = chunk.indexOf(10, 0); at !== -1 && at < read; at = chunk.indexOf(10, begin)) {
          // Ends the decoder with each line, so that half a character does not get into the next one.
          const text = rest + decoder.end(chunk.subarray(begin, at));
          rest = '';
          begin = at + 1;
          yield { ...shorten(text, limit), end: offset + begin, whole: true };
        }
        const tail = decoder.write(chunk.subarray(begin, read));
        if (rest.length <= limit) rest += tail;
        offset += read;
      }
    },
    end() {
      rest += decoder.end();
      return rest === '' ? null : { ...shorten(rest, limit), end: offset, whole: false };
    },
    close() {
      if (file !== null) closeSync(file);
      [file, chunk] = [null, null];
    },
  };
}

/** Yields the lines of a file one at a time, so that memory does not grow with the file. */
export function* linesOf(path: string, limit = MAX_LINE, from = 0): Generator<Line> {
  const tail = tailLines(path, limit, from);
  try {
    yield* tail.lines();
    const last = tail.end();
    if (last !== null) yield last;
  } finally {
    tail.close();
  }
}

function shorten(text: string, limit: number): Pick<Line, 'text' | 'cut'> {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  const cut = line.length > limit;
  return { text: cut ? `${beginningOf(line, limit)} [line cut]` : line, cut };
}
