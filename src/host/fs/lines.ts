import { closeSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { beginningOf } from '#lib';
import { openFile } from './read-file.js';

/** In characters. Agents write lines of more than a megabyte; longer ones are cut and marked. */
const LINE_LIMIT = 4 * 1024 * 1024;
const CHUNK = 256 * 1024;

export interface Line {
  text: string;
  /** Where in the file the line ends, in bytes. */
  end: number;
  /** Whether it ends with a newline. The last line of a file that is being written may be incomplete. */
  whole: boolean;
  /** Whether its end was dropped. */
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
export function tailLines(path: string, limit = LINE_LIMIT, from = 0): LineTail {
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
export function* linesOf(path: string, limit = LINE_LIMIT, from = 0): Generator<Line> {
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
