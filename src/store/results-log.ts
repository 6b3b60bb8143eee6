import { existsSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { namingFull } from '../lib/disk-failure.js';
import { parseJson } from '../lib/json.js';
import { linesOf } from '../platform/fs/lines.js';
import { ResultLine } from '../results/records/result-line.js';
import { cleanIsOver } from './clean-lock.js';

/** A line of results.jsonl that cannot be read: it is passed over, and said. */
export interface CorruptLine {
  line: number;
  reason: string;
}

/** A file system whose numbers of files cannot be relied on must not make us write for ever. */
const MAX_APPENDS = 5;

/** Appends a finished run; again when `clean` has put another file in the place of the one that it went to. */
export async function appendResult(path: string, result: ResultLine): Promise<void> {
  for (let times = 0; times < MAX_APPENDS; times++) if (await append(path, result)) return;
}

/**
 * One `write` in append mode, so that workers do not mix their lines; a last line that power loss cut short is closed
 * first, so that it costs itself only. Returns whether the line is in the file that counts.
 */
async function append(path: string, result: ResultLine): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  const file = await open(path, 'a+', 0o644);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const cut = size > 0 && last.toString() !== '\n';
    const line = Buffer.from(`${cut ? '\n' : ''}${JSON.stringify(result)}\n`);
    // Not `appendFile`, which writes what is long in pieces.
    const { bytesWritten } = await file.write(line);
    if (bytesWritten < line.length)
      throw new Error(`${path}: only ${bytesWritten} of ${line.length} bytes could be written`);
    await file.datasync();
    await cleanIsOver(dirname(path));
    // While it is open, no other file can get its number.
    return (await stat(path).catch(() => null))?.ino === (await file.stat()).ino;
  } catch (error) {
    throw namingFull(error, path);
  } finally {
    await file.close();
  }
}

/** All finished runs in the order written, and the lines that are none. An absent file is an empty one. */
export function readResults(path: string): { results: ResultLine[]; corrupt: CorruptLine[] } {
  const results: ResultLine[] = [];
  const corrupt: CorruptLine[] = [];
  if (!existsSync(path)) return { results, corrupt };
  let number = 0;
  // Lines end at newlines alone: readline of Node 24 also splits at U+2028, which JSON may hold as it is.
  for (const { text } of linesOf(path, Infinity)) {
    number += 1;
    if (text.trim() === '') continue;
    const read = parseResult(text);
    if (typeof read === 'string') corrupt.push({ line: number, reason: read });
    else results.push(read);
  }
  return { results, corrupt };
}

/** The result in a line, or why it is none. */
export function parseResult(text: string): ResultLine | string {
  const json = parseJson(text);
  if (json === undefined) return 'not JSON';
  const parsed = ResultLine.safeParse(json);
  return parsed.success ? parsed.data : describe(parsed.error.issues[0]);
}

const describe = (issue: { path: PropertyKey[]; message: string } | undefined): string =>
  issue === undefined ? 'not a result' : `${issue.path.join('.')}: ${issue.message}`;
