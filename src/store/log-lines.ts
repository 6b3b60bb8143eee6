import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, readSync, statSync, type BigIntStats } from 'node:fs';
import { isSettled, linesOf, openFile } from '#host';
import { digestOf, gateKey, type ResultDigest } from '#model';
import { parseResult, type CorruptLine } from './results-log.js';
import { isUnmoved } from './results-reader.js';

/** The results in results.jsonl, in the order written, and its lines that are not results. */
export interface Digests {
  results: readonly ResultDigest[];
  corrupt: readonly CorruptLine[];
}

/** The facts about the complete lines of the log, as the index in the state folder stores them. */
export interface KnownLines {
  results: ResultDigest[];
  /** The place of each result. */
  places: ResultPlace[];
  corrupt: CorruptLine[];
  /** Number of lines. */
  count: number;
  /** Where they end, in bytes. */
  end: number;
  /** SHA-256 of the log up to `end`. */
  sha256: string;
  /** Says which file it was, of which size and age; '' if it could change without another stamp. */
  stamp: string;
}

/** The facts of a result that its digest lacks. */
export interface ResultPlace {
  /** Where its line begins, in bytes. */
  begin: number;
  /** Names of the gates that passed. */
  gatesPassed: string[];
}

/** The facts known to a process that has read the log itself. */
export interface ReadLines extends KnownLines {
  /** The same object for as long as lines were only appended. */
  history: object;
  /** True if all of the log is known to be as it was read, and not only its last line. */
  isCompared: boolean;
  /** The file, and the last line in it; null if none was read. */
  last: { inode: bigint; begin: number; end: number; text: string } | null;
  /** The hash of the log up to `end`. */
  hash: Hash;
}

/**
 * The way to tell that lines were only appended: by comparing all bytes with those that were read, or, if the log is
 * checked after every run, by the last line, because `clean` moves all lines after those that it removes.
 */
export type LogCheck = 'all bytes' | 'last line';

/** Returns whether the log has not changed since. */
export const isUnchanged = ({ stamp, end }: KnownLines, stat: BigIntStats): boolean =>
  stamp === stampOf(stat) && BigInt(end) === stat.size;

const stampOf = ({ ino, size, ctimeNs }: BigIntStats): string => `${ino}.${size}.${ctimeNs}`;

/** A stamp that no file has, if the file could change again without another stamp. */
const stampNow = (stat: BigIntStats): string => (isSettled(stat) ? stampOf(stat) : '');

const NOTHING = { results: [], places: [], corrupt: [], count: 0, end: 0, last: null } as const;

/**
 * Reads the lines after those that are known; all lines if the log does not begin with those. `rest`: the text after
 * the last newline, which may be incomplete. `isContinued`: whether it does.
 */
export function readOn(
  log: string,
  known: KnownLines | ReadLines | null,
  comparison: LogCheck,
): { now: ReadLines; rest: string | null; isContinued: boolean } {
  // While this file is open, no other file gets its inode number.
  const file = openFile(log);
  try {
    const before = fstatSync(file, { bigint: true });
    const same = known === null ? null : sameLines(log, file, before, known, comparison);
    const start = same ?? { ...NOTHING, history: {}, isCompared: true, hash: createHash('sha256') };
    const now: ReadLines = {
      ...start,
      results: [...start.results],
      places: [...start.places],
      corrupt: [...start.corrupt],
      stamp: stampNow(before),
      sha256: '',
      hash: start.hash.copy(),
    };
    const texts = new Map<string, string>();
    let rest: string | null = null;
    for (const { text, end, whole } of linesOf(log, Infinity, start.end)) {
      if (!whole) rest = text;
      if (!whole) break;
      addLine(now, text, end, before.ino, texts);
    }
    addBytes(now.hash, file, start.end, now.end);
    now.sha256 = now.hash.copy().digest('hex');
    if (statSync(log, { bigint: true }).ino === before.ino) return { now, rest, isContinued: same !== null };
  } finally {
    closeSync(file);
  }
  return readOn(log, null, comparison); // `clean` has replaced it meanwhile
}

/** Returns what is known if the log still begins with it; else null. */
function sameLines(
  log: string,
  file: number,
  { ino }: BigIntStats,
  known: KnownLines | ReadLines,
  comparison: LogCheck,
): Omit<ReadLines, 'stamp' | 'sha256'> | null {
  if (comparison === 'last line' && 'last' in known && known.last !== null) {
    const isSame = known.last.inode === ino && isUnmoved(log, known.last);
    return isSame ? { ...known, isCompared: false } : null;
  }
  const hash = createHash('sha256');
  const isSame = addBytes(hash, file, 0, known.end) && hash.copy().digest('hex') === known.sha256;
  return isSame ? { history: {}, last: null, ...known, isCompared: true, hash } : null;
}

function addLine(now: ReadLines, text: string, end: number, inode: bigint, texts: Map<string, string>): void {
  const begin = now.end;
  now.count += 1;
  now.end = end;
  now.last = { inode, begin, end, text };
  if (text.trim() === '') return;
  const parsed = parseResult(text);
  if (typeof parsed === 'string') {
    now.corrupt.push({ line: now.count, reason: parsed });
    return;
  }
  const passed = (parsed.metrics?.details ?? []).filter(({ status }) => status === 'pass');
  now.results.push(withSharedTexts(digestOf(parsed), texts));
  now.places.push({ begin, gatesPassed: passed.map(gateKey) });
}

/** The fields that are the same in many results. */
const ALIKE = [
  ...['sweep', 'scenario_id', 'scenario_hash', 'agent', 'model', 'variant', 'message'],
  ...['cache_key', 'agent_key', 'target_fingerprint'],
] as const satisfies readonly (keyof ResultDigest)[];

/** Keeps equal texts in memory once: they are half of what thousands of results need. */
export function withSharedTexts(result: ResultDigest, texts: Map<string, string>): ResultDigest {
  for (const field of ALIKE) {
    const text = result[field as 'message'] as string | null | undefined;
    if (text == null) continue;
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    else result[field as 'message'] = known;
  }
  if (result.results_dir === result.id) result.results_dir = result.id;
  return result;
}

/** Adds the text after the last newline: a result, if it is complete. */
export function withRest({ results, corrupt, count }: KnownLines, rest: string): Digests {
  if (rest.trim() === '') return { results, corrupt };
  const parsed = parseResult(rest);
  return typeof parsed === 'string'
    ? { results, corrupt: [...corrupt, { line: count + 1, reason: parsed }] }
    : { results: [...results, digestOf(parsed)], corrupt };
}

const CHUNK = 1024 * 1024;

/** Adds a part of a file to a hash. Returns false if the file has fewer bytes. */
function addBytes(hash: Hash, file: number, from: number, to: number): boolean {
  const chunk = Buffer.alloc(Math.min(CHUNK, to - from));
  for (let at = from; at < to;) {
    const read = readSync(file, chunk, 0, Math.min(CHUNK, to - at), at);
    if (read === 0) return false;
    hash.update(chunk.subarray(0, read));
    at += read;
  }
  return true;
}
