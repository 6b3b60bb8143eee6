import { statSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { linesOf, plannedHomes, projectState, readText, remembered, temporaryName } from '#host';
import { isJsonObject, parseJson } from '#lib';
import type { ResultLine } from '#model';
import {
  isUnchanged,
  readOn,
  withRest,
  type LogCheck,
  type Digests,
  type KnownLines,
  type ReadLines,
} from './log-lines.js';
import { createFacts, type ResultFacts } from './result-facts.js';
import { resultsLog } from './results-folder.js';
import { parseResult } from './results-log.js';

/**
 * Writes a file below the folder `index/` of a state folder, from which it can be made again at any time. Readers see
 * the old or the new one. Returns false, and does no harm, where there is no state folder, or nothing can be written.
 */
export function writeDerived(file: string, text: string): boolean {
  const folder = dirname(file);
  // Reading results must not create a state folder.
  if (statSync(dirname(folder), { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const temporary = temporaryName(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
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

/**
 * Answers questions about all results in a results folder without reading the log from the start each time. Every
 * answer is that of the log as it is now: what was appended is read first, and all of it if `clean` has replaced it.
 */
export interface ResultsIndex extends ResultFacts {
  /** Returns the digests of all results, for lists and sweeps. @throws Error that names the log if it cannot be read */
  digests(): Digests;
  /**
   * All results of a sweep in the order written, read from the log.
   * @throws Error if the log is replaced in the meantime
   */
  linesOfSweep(sweep: string): ResultLine[];
  /** A result, read from the log; null if it is not there. */
  line(id: string): ResultLine | null;
}

/**
 * The version of the index's format. Raise it with every change of `KnownLines`, `ResultDigest` or `digestOf`: then it
 * is made anew.
 */
const VERSION = 3;
/** Shorter logs are read faster than anything could be looked up. */
const WORTH_INDEXING = 256 * 1024;

/**
 * Opens the index of a results folder. The caller owns it. results.jsonl is the source of truth:
 * the first lookup starts from an index in the state folder, if its hash says that the log still begins with what the
 * index was made of. An index that is missing, broken or of another version is made again, if there is a state folder.
 * It needs no lock: each process replaces it as a whole.
 */
export function openResultsIndex(resultsPath: string): ResultsIndex {
  const log = resultsLog(resultsPath);
  let known: KnownLines | ReadLines | null = null;
  /** Where the lines end that the index in the state folder has. */
  let indexed = 0;
  let facts = createFacts(resultsPath);
  /** The results that `facts` has: how many, and of which history. */
  let added: { history: object | null; count: number } = { history: null, count: 0 };

  const look = (comparison: LogCheck): Digests & { known: KnownLines | null } => {
    const stat = statSync(log, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) {
      [known, indexed] = [null, 0];
      return { results: [], corrupt: [], known };
    }
    if (known === null && stat.size > WORTH_INDEXING) {
      known = readIndex(indexFile(resultsPath));
      indexed = known?.end ?? 0;
    }
    const isKnown = known !== null && isUnchanged(known, stat);
    if (known !== null && isKnown && (comparison === 'last line' || wasCompared(known)))
      return { results: known.results, corrupt: known.corrupt, known };
    const { now, rest, isContinued } = naming(log, () => readOn(log, known, comparison));
    if (!isContinued) indexed = 0;
    known = now;
    return { ...(rest === null ? now : withRest(now, rest)), known };
  };
  const keep = (): void => {
    if (known === null || known.end - indexed <= WORTH_INDEXING) return;
    const { results, places, corrupt, count, end, sha256, stamp } = known;
    const index = { version: VERSION, results, places, corrupt, count, end, sha256, stamp };
    if (writeDerived(indexFile(resultsPath), JSON.stringify(index))) indexed = end;
  };
  const upToDate = (): typeof facts => {
    const lines = look('last line').known;
    const history = lines === null ? null : historyOf(lines);
    if (history === null || history !== added.history) {
      facts = createFacts(resultsPath);
      added = { history, count: 0 };
    }
    const { results, places } = lines ?? { results: [], places: [] };
    for (; added.count < results.length; added.count++) {
      const [result, place] = [results[added.count], places[added.count]];
      if (result !== undefined && place !== undefined) facts.add(result, place);
    }
    return facts;
  };
  return {
    digests() {
      const { results, corrupt } = look('all bytes');
      keep();
      return { results, corrupt };
    },
    linesOfSweep(sweep) {
      const wanted = upToDate().beginsOf(sweep);
      const found = linesAt(log, wanted).filter((line) => line.sweep === sweep);
      if (found.length !== wanted.length) throw new Error(`${log} was replaced while it was read`);
      return found;
    },
    line(id) {
      const begin = upToDate().beginOf(id);
      return begin === undefined ? null : lineAt(log, begin, id);
    },
    ofSweep: (sweep) => upToDate().ofSweep(sweep),
    spent: (sweep, cell) => upToDate().spent(sweep, cell),
    reusable: (cacheKey) => upToDate().reusable(cacheKey),
    knows: (inputs) => upToDate().knows(inputs),
    hiddenBy: (result) => upToDate().hiddenBy(result),
    isDecided: (sweep, cell) => upToDate().isDecided(sweep, cell),
    previous: (cell, run) => upToDate().previous(cell, run),
    besides: (result, run) => upToDate().besides(result, run),
    highestCost: (of) => upToDate().highestCost(of),
  };
}

const opened = remembered(() => new Map<string, ResultsIndex>());

/** Returns the index of a results folder that this command or worker has open; opens it at the first call. */
export function resultsIndex(resultsPath: string): ResultsIndex {
  const index = opened().get(resultsPath) ?? openResultsIndex(resultsPath);
  opened().set(resultsPath, index);
  return index;
}

/** The contents of the index in the state folder were compared, if it has a stamp. */
const wasCompared = (known: KnownLines | ReadLines): boolean => !('last' in known) || known.isCompared;

const historyOf = (known: KnownLines | ReadLines): object => ('last' in known ? known.history : known);

/** The file in which the index is kept for other processes. */
export const indexFile = (resultsPath: string): string =>
  join(projectState(resultsPath, plannedHomes().state).folder, 'index', 'results.json');

/** Returns null if there is none that can be read. */
function readIndex(file: string): KnownLines | null {
  const index = parseJson(readOrEmpty(file));
  if (!isJsonObject(index) || index['version'] !== VERSION) return null;
  // Only this program writes into the state folder. To validate thousands of results would take longer than to read the
  // log.
  return index as unknown as KnownLines;
}

function readOrEmpty(file: string): string {
  try {
    return readText(file);
  } catch {
    return '';
  }
}

/** The errors of open files do not say which file it was. */
function naming<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}

/** Returns the results in the lines that begin at these positions. */
function linesAt(log: string, begins: readonly number[]): ResultLine[] {
  const found: ResultLine[] = [];
  if (begins.length === 0) return found;
  const wanted = new Set(begins);
  let begin = begins.reduce((least, one) => Math.min(least, one));
  for (const { text, end } of linesOf(log, Infinity, begin)) {
    const result = wanted.has(begin) ? parseResult(text) : '';
    if (typeof result !== 'string') found.push(result);
    begin = end;
  }
  return found;
}

/** Returns the result in the line that begins at this position; null if it is not the one with this id. */
function lineAt(log: string, begin: number, id: string): ResultLine | null {
  for (const { text } of linesOf(log, Infinity, begin)) {
    const result = parseResult(text);
    return typeof result !== 'string' && result.id === id ? result : null;
  }
  return null;
}
