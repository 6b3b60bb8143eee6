import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { linesOf, temporaryName } from '#host';
import { isJsonObject, parseJson } from '#lib';
import type { ResultDigest } from '#model';
import { type KnownLines, type ResultPlace, withSharedTexts } from './log-lines.js';

/**
 * The version of the index's format. Raise it with every change of `KnownLines`, `ResultDigest` or `digestOf`: then it
 * is made anew.
 */
const VERSION = 6;

/** The first line of the index. Each of the others has a result, in the order of the log. */
export interface IndexHead extends Omit<KnownLines, 'results' | 'places'> {
  version: number;
  results: number;
}

type Entry = [result: ResultDigest, place: ResultPlace];

/** Written at once, so that a large index is not a large text first. */
const PIECE = 1024 * 1024;

/**
 * Writes a file below the folder `index/` of a state folder, from which it can be made again at any time. Readers see
 * the old or the new one. Returns false, and does no harm, where there is no state folder, or nothing can be written.
 */
export function writeDerived(file: string, texts: Iterable<string>): boolean {
  const folder = dirname(file);
  // Reading results must not create a state folder.
  if (statSync(dirname(folder), { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const temporary = temporaryName(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writePieces(temporary, texts);
    renameSync(temporary, file);
    return true;
  } catch {
    try {
      rmSync(temporary, { force: true });
    } catch {
      // Without the folder, no file was written.
    }
    return false;
  }
}

function writePieces(path: string, texts: Iterable<string>): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    let piece = '';
    const write = (): void => {
      const bytes = Buffer.from(piece);
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      piece = '';
    };
    for (const text of texts) {
      piece += text;
      if (piece.length >= PIECE) write();
    }
    write();
  } finally {
    closeSync(file);
  }
}

/** Writes the index. Returns false if it cannot. */
export const writeIndex = (file: string, known: KnownLines): boolean => writeDerived(file, textsOf(known));

function* textsOf({ results, places, corrupt, count, end, sha256, stamp }: KnownLines): Generator<string> {
  const head: IndexHead = { version: VERSION, results: results.length, corrupt, count, end, sha256, stamp };
  yield `${JSON.stringify(head)}\n`;
  for (const [at, result] of results.entries()) yield `${JSON.stringify([result, places[at]])}\n`;
}

/** The texts of the lines of an index, as far as they can be read. */
export function* indexLines(file: string): Generator<string> {
  try {
    for (const { text } of linesOf(file, Infinity)) yield text;
  } catch {
    // The rest is made again from the log.
  }
}

/** Reads the first line of an index; null if it is not one of this version. */
export function readHead(lines: Iterator<string>): IndexHead | null {
  const head = parseJson(String(lines.next().value ?? ''));
  // Only this program writes into the state folder. To validate thousands of results would take longer than to read the
  // log.
  return isJsonObject(head) && head['version'] === VERSION ? (head as unknown as IndexHead) : null;
}

/** Calls `visit` for each result after the head. Returns false if some are missing. */
export function visitEntries(
  lines: Iterator<string>,
  head: IndexHead,
  visit: (result: ResultDigest, place: ResultPlace) => void,
): boolean {
  const texts = new Map<string, string>();
  for (let count = 0; count < head.results; count++) {
    const entry = parseJson(String(lines.next().value ?? '')) as Entry | undefined;
    if (entry === undefined) return false;
    const [result, place] = entry;
    visit(withSharedTexts(result, texts), place);
  }
  return true;
}
