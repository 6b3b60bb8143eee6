import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../lib/json.js';
import { plannedHomes, projectState } from '../platform/folders.js';
import { linesOf } from '../platform/fs/lines.js';
import { digestOf, type ResultDigest } from '../results/records/result-digest.js';
import { writeDerived } from './derived-file.js';
import { resultsLog } from './results-folder.js';
import { parseResult, type CorruptLine } from './results-log.js';

/** The results in results.jsonl, in the order written, and its lines that are not results. */
export interface Digests {
  results: readonly ResultDigest[];
  corrupt: readonly CorruptLine[];
}

/** What is known of the complete lines of the log. */
interface Known {
  results: ResultDigest[];
  corrupt: CorruptLine[];
  /** Number of lines. */
  count: number;
  /** Where they end, in bytes. */
  end: number;
  /** SHA-256 of the log up to `end`. */
  sha256: string;
  /** Says which file it was, of which size and age. */
  stamp: string;
  /** Where the lines end that the index has. */
  indexed: number;
}

/** Of the format of the index. Raise it with every change of `ResultDigest` or `digestOf`: then it is made anew. */
const VERSION = 1;
/** Shorter logs are read faster than anything could be looked up. */
const WORTH_INDEXING = 256 * 1024;

const known = new Map<string, Known>();

/**
 * Reads what lists and sweeps show of all results. results.jsonl is what counts: each process reads what was appended since it looked
 * last, and the first look starts from an index in the state folder, if its hash says that the log still begins with what the index
 * was made of. An index that is missing, broken or of another version is made again, if there is a state folder. Nobody locks it:
 * each process replaces it as a whole.
 *
 * @throws Error if the log cannot be read
 */
export function readDigests(resultsPath: string): Digests {
  const log = resultsLog(resultsPath);
  const stat = statSync(log, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) {
    known.delete(resultsPath);
    return { results: [], corrupt: [] };
  }
  const index = indexFile(resultsPath);
  const start = known.get(resultsPath) ?? (stat.size > WORTH_INDEXING ? readIndex(index) : null);
  if (start !== null && isUnchanged(start, stat)) {
    known.set(resultsPath, start);
    return start;
  }
  const { now, rest } = readOn(log, start ?? NOTHING);
  known.set(resultsPath, now);
  if (
    now.end - now.indexed > WORTH_INDEXING &&
    writeDerived(index, JSON.stringify({ version: VERSION, ...now }))
  )
    now.indexed = now.end;
  return rest === null ? now : withRest(now, rest);
}

/** Forgets what this process knows, as if it were a new one. */
export const forgetDigests = (): void => known.clear();

export const indexFile = (resultsPath: string): string =>
  join(projectState(resultsPath, plannedHomes().state).folder, 'index', 'results.json');

const NOTHING: Known = { results: [], corrupt: [], count: 0, end: 0, sha256: '', stamp: '', indexed: 0 };

const stampOf = ({ ino, size, ctimeNs }: BigIntStats): string => `${ino}.${size}.${ctimeNs}`;

const isUnchanged = ({ stamp, end }: Known, stat: BigIntStats): boolean =>
  stamp === stampOf(stat) && BigInt(end) === stat.size;

/** File systems count time in steps: what has changed just now may change again within the same one. */
const SETTLED_NS = 2_000_000_000n;

/** A stamp that no file has, if the file could change again without another stamp. */
const stampNow = (stat: BigIntStats): string =>
  BigInt(Date.now()) * 1_000_000n - stat.ctimeNs > SETTLED_NS ? stampOf(stat) : '';

/**
 * Reads the lines after those that are known; all lines if the log does not begin with those. `rest`: the text after the last
 * newline, which may be incomplete.
 */
function readOn(log: string, known: Known): { now: Known; rest: string | null } {
  // While this file is open, no other file gets its inode number.
  const file = openSync(log, 'r');
  try {
    const before = fstatSync(file, { bigint: true });
    const hash = createHash('sha256');
    const isSame = addBytes(hash, file, 0, known.end) && hash.copy().digest('hex') === known.sha256;
    const start = isSame ? known : NOTHING;
    const now: Known = {
      ...start,
      ...{ results: [...start.results], corrupt: [...start.corrupt], stamp: stampNow(before) },
    };
    let rest: string | null = null;
    for (const { text, end, whole } of linesOf(log, Infinity, start.end)) {
      if (!whole) rest = text;
      if (!whole) break;
      now.count += 1;
      now.end = end;
      addLine(now, text, now.count);
    }
    const all = isSame ? hash : createHash('sha256');
    addBytes(all, file, start.end, now.end);
    now.sha256 = all.digest('hex');
    if (statSync(log, { bigint: true }).ino === before.ino) return { now, rest };
  } finally {
    closeSync(file);
  }
  return readOn(log, NOTHING); // `clean` has replaced it meanwhile
}

function addLine({ results, corrupt }: Pick<Known, 'results' | 'corrupt'>, text: string, line: number): void {
  if (text.trim() === '') return;
  const parsed = parseResult(text);
  if (typeof parsed === 'string') corrupt.push({ line, reason: parsed });
  else results.push(digestOf(parsed));
}

function withRest({ results, corrupt, count }: Known, rest: string): Digests {
  const all = { results: [...results], corrupt: [...corrupt] };
  addLine(all, rest, count + 1);
  return all;
}

/** Returns null if there is none that can be read. */
function readIndex(file: string): Known | null {
  const index = parseJson(readOrEmpty(file));
  if (!isJsonObject(index) || index['version'] !== VERSION) return null;
  // Only this program writes into the state folder. To validate thousands of results would take longer than to read the log.
  const found = index as unknown as Known;
  return { ...found, indexed: found.end };
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
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
