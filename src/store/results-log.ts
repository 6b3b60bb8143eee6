import { existsSync, writeSync } from 'node:fs';
import { open, stat, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { linesOf, type Lock, lockHolder, tryLock, waitUntil, temporaryName } from '#host';
import { addPathToFullDiskError, parseFailure, parseJson } from '#lib';
import { ResultLine } from '#model';
import { cleanFolder } from './results-folder.js';

/*
 * `clean` works next to commands and workers that write. `clean` takes a lock before it looks at the folder, and
 * releases it once it removes nothing more. A process that has written something waits until no `clean` holds the lock,
 * and then checks whether what it wrote is still there. So either `clean` has seen what was written, or the writer sees
 * what `clean` has done. Writers hold no lock, and a killed `clean` blocks nobody.
 */
const NAME = 'clean';
/**
 * While `clean` holds the lock, it only moves folders and deletes nothing. This is longer than it needs with very many
 * runs.
 */
const WAIT_MS = 60_000;
const LOOK_MS = 20;

/** Takes the lock that announces a `clean`. Returns null if another `clean` does not finish within WAIT_MS. */
export const announceClean = (results: string): Promise<Lock | null> =>
  waitUntil(() => tryLock(cleanFolder(results), NAME), WAIT_MS, LOOK_MS);

/** Waits until no `clean` holds the lock. @throws Error if one does not finish within WAIT_MS */
export async function cleanIsOver(results: string): Promise<void> {
  // If no `clean` ever ran here, there is nothing to check, and nothing is created.
  const isOver = async (): Promise<true | null> =>
    !existsSync(cleanFolder(results)) || (await lockHolder(cleanFolder(results), NAME)) === null ? true : null;
  if ((await waitUntil(isOver, WAIT_MS, LOOK_MS)) === null)
    throw new Error(`a \`clean\` has been running in ${results} for a minute; stop it if it hangs`);
}

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
 * @throws Error if the results folder is missing: whoever has moved it away could not put it back if there were a new
 *   one
 */
export const appendResult = (path: string, result: ResultLine): Promise<void> =>
  appendLines(path, () => [JSON.stringify(result)]);

/**
 * The same for lines that are JSON already. `lacking` is asked at the last moment: a process that was frozen may find
 * that others have written meanwhile what it was about to write.
 */
export async function appendLines(path: string, lacking: () => readonly string[]): Promise<void> {
  for (let times = 0; times < MAX_APPENDS; times++) if (await append(path, lacking)) return;
}

/**
 * Uses a single `write` in append mode, so that lines of several workers do not mix. If a power failure left an
 * incomplete last line, ends that line first, so that only that one is lost. Returns whether the lines are in the
 * current file.
 */
async function append(path: string, lacking: () => readonly string[]): Promise<boolean> {
  const file = await open(path, 'a+', 0o644);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const cut = size > 0 && last.toString() !== '\n';
    const lines = lacking().map((line) => `${line}\n`);
    if (lines.length === 0) return true;
    const text = Buffer.from(`${cut ? '\n' : ''}${lines.join('')}`);
    // Not `appendFile`, which writes long data in several pieces. Nothing comes between the question and the answer.
    const written = writeSync(file.fd, text);
    if (written < text.length) throw new Error(`${path}: only ${written} of ${text.length} bytes could be written`);
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

const CHUNK = 1024 * 1024;

/**
 * Replaces results.jsonl with a file without some of its lines; all other lines stay unchanged. Only for a caller that
 * has announced a `clean`. Calls `decide` for each line, numbered from 1; 'stop' leaves the file as it is. Returns the
 * number of bytes removed, or null after 'stop'.
 */
export async function rewriteResults(
  path: string,
  decide: (line: number, text: string) => 'keep' | 'drop' | 'stop',
): Promise<number | null> {
  const kept: { from: number; to: number }[] = [];
  let line = 0;
  let begin = 0;
  for (const { text, end } of linesOf(path, Infinity)) {
    line += 1;
    const decision = decide(line, text);
    if (decision === 'stop') return null;
    const last = kept.at(-1);
    if (decision === 'keep' && last?.to === begin) last.to = end;
    else if (decision === 'keep') kept.push({ from: begin, to: end });
    begin = end;
  }
  const size = kept.reduce((sum, { from, to }) => sum + to - from, 0);
  if (size === begin) return 0;
  const temporary = temporaryName(path);
  const source = await open(path, 'r');
  try {
    const target = await open(temporary, 'wx', (await source.stat()).mode & 0o777);
    try {
      for (const { from, to } of kept) await copyRange(source, target, from, to);
      await target.datasync();
    } finally {
      await target.close();
    }
    await rename(temporary, path);
  } catch (error) {
    throw addPathToFullDiskError(error, path);
  } finally {
    await source.close();
    await rm(temporary, { force: true });
  }
  return begin - size;
}

async function copyRange(source: FileHandle, target: FileHandle, from: number, to: number): Promise<void> {
  const chunk = Buffer.alloc(Math.min(CHUNK, to - from));
  for (let at = from; at < to;) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, to - at), at);
    if (bytesRead === 0) throw new Error('results.jsonl was shortened while it was read');
    await target.writeFile(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}
