import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { linesOf } from '#host';
import { addPathToFullDiskError, parseFailure, parseJson } from '#lib';
import { ResultLine } from '#model';
import { cleanIsOver } from './clean-lock.js';

/** A line of results.jsonl that cannot be read. It is skipped and reported. */
export interface CorruptLine {
  line: number;
  reason: string;
}

/** Limit in case inode numbers are unreliable on a file system: we must not append forever. */
const MAX_APPENDS = 5;

/**
 * Appends a finished run. Repeats that if `clean` has replaced the file in the meantime.
 *
 * @throws Error if the results folder is missing: whoever has moved it away could not put it back if there were a new one
 */
export const appendResult = (path: string, result: ResultLine): Promise<void> =>
  appendLines(path, [JSON.stringify(result)]);

/** The same for lines that are JSON already. */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  for (let times = 0; times < MAX_APPENDS; times++) if (await append(path, lines)) return;
}

/**
 * Uses a single `write` in append mode, so that lines of several workers do not mix. If a power failure left an
 * incomplete last line, ends that line first, so that only that one is lost. Returns whether the lines are in the current
 * file.
 */
async function append(path: string, lines: readonly string[]): Promise<boolean> {
  const file = await open(path, 'a+', 0o644);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const cut = size > 0 && last.toString() !== '\n';
    const text = Buffer.from(`${cut ? '\n' : ''}${lines.map((line) => `${line}\n`).join('')}`);
    // Not `appendFile`, which writes long data in several pieces.
    const { bytesWritten } = await file.write(text);
    if (bytesWritten < text.length)
      throw new Error(`${path}: only ${bytesWritten} of ${text.length} bytes could be written`);
    await file.datasync();
    await cleanIsOver(dirname(path));
    // While this file is open, no other file can get its inode number.
    return (await stat(path).catch(() => null))?.ino === (await file.stat()).ino;
  } catch (error) {
    throw addPathToFullDiskError(error, path);
  } finally {
    await file.close();
  }
}

/**
 * Returns all finished runs in the order in which they were written, and the lines that are not results. An absent file
 * is treated as empty.
 */
export function readResults(path: string): { results: ResultLine[]; corrupt: CorruptLine[] } {
  const results: ResultLine[] = [];
  const corrupt: CorruptLine[] = [];
  if (!existsSync(path)) return { results, corrupt };
  let number = 0;
  // Lines end only at newlines: readline of Node 24 also splits at U+2028, which JSON may contain unescaped.
  for (const { text } of linesOf(path, Infinity)) {
    number += 1;
    if (text.trim() === '') continue;
    const read = parseResult(text);
    if (typeof read === 'string') corrupt.push({ line: number, reason: read });
    else results.push(read);
  }
  return { results, corrupt };
}

/** Returns the result in a line, or the reason why it is not one. */
export function parseResult(text: string): ResultLine | string {
  const json = parseJson(text);
  if (json === undefined) return 'not JSON';
  const parsed = ResultLine.safeParse(json);
  return parsed.success ? parsed.data : parseFailure(parsed.error);
}
