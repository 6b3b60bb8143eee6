import { statSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf, plannedHomes, projectState, remembered } from '#host';
import type { ResultDigest, ResultLine } from '#model';
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
import { type CorruptLine, parseResult } from './results-log.js';
import { indexLines, readHead, visitEntries, writeIndex } from './stored-index.js';

/**
 * Answers questions about all results in a results folder without reading the log from the start each time. Every
 * answer is that of the log as it is now: what was appended is read first, and all of it if `clean` has replaced it.
 */
export interface ResultsIndex extends ResultFacts {
  /** Returns the digests of all results, for lists and sweeps. @throws Error that names the log if it cannot be read */
  digests(): Digests;
  /**
   * Returns what `pick` makes of all digests, without undefined. Digests that it does not keep need no memory, so long
   * as nothing else was asked. `pick` may be called again for all of them.
   *
   * @throws Error that names the log if it cannot be read
   */
  pick<T>(pick: (result: ResultDigest) => T | undefined): Picked<T>;
  /**
   * All results of a sweep in the order written, read from the log.
   * @throws Error if the log is replaced in the meantime
   */
  linesOfSweep(sweep: string): ResultLine[];
  /** A result, read from the log; null if it is not there. */
  line(id: string): ResultLine | null;
}

interface Picked<T> {
  results: T[];
  corrupt: readonly CorruptLine[];
}

/** Where the lines end that an index has, and its stamp. */
const NOTHING_INDEXED: Pick<KnownLines, 'end' | 'stamp'> = { end: 0, stamp: '' };
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
  /** The lines that the index in the state folder has. */
  let indexed = NOTHING_INDEXED;
  let facts = createFacts(resultsPath);
  /** The results that `facts` has: how many, and of which history. */
  let added: { history: object | null; count: number } = { history: null, count: 0 };

  const look = (comparison: LogCheck): Digests & { known: KnownLines | null } => {
    const stat = statSync(log, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) {
      [known, indexed] = [null, NOTHING_INDEXED];
      return { results: [], corrupt: [], known };
    }
    if (known === null && stat.size > WORTH_INDEXING) {
      known = readIndex(indexFile(resultsPath));
      indexed = known === null ? NOTHING_INDEXED : { end: known.end, stamp: known.stamp };
    }
    const isKnown = known !== null && isUnchanged(known, stat);
    if (known !== null && isKnown && (comparison === 'last line' || wasCompared(known)))
      return { results: known.results, corrupt: known.corrupt, known };
    const { now, rest, isContinued } = naming(log, () => readOn(log, known, comparison));
    if (!isContinued) indexed = NOTHING_INDEXED;
    known = now;
    return { ...(rest === null ? now : withRest(now, rest)), known };
  };
  const keep = (): void => {
    if (known === null) return;
    const { end, stamp } = known;
    // With the stamp of a log that no longer changes, readers need not compare the log with the index.
    const lacksStamp = indexed.end > 0 && end === indexed.end && stamp !== '' && stamp !== indexed.stamp;
    if (end - indexed.end <= WORTH_INDEXING && !lacksStamp) return;
    if (writeIndex(indexFile(resultsPath), known)) indexed = { end, stamp };
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
    pick(pick) {
      const stored = known === null ? pickStored(resultsPath, pick) : null;
      if (stored !== null) return stored;
      const { results, corrupt } = look('all bytes');
      keep();
      return { results: results.flatMap((result) => pick(result) ?? []), corrupt };
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
    spentIn: (month) => upToDate().spentIn(month),
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
  const lines = indexLines(file);
  try {
    const head = readHead(lines);
    if (head === null) return null;
    const known: KnownLines = { ...head, results: [], places: [] };
    const isWhole = visitEntries(lines, head, (result, place) => {
      known.results.push(result);
      known.places.push(place);
    });
    return isWhole ? known : null;
  } finally {
    lines.return(undefined);
  }
}

/** Like `pick`, from an index that lacks little of the log; null if there is none. */
function pickStored<T>(resultsPath: string, pick: (result: ResultDigest) => T | undefined): Picked<T> | null {
  const log = resultsLog(resultsPath);
  const stat = statSync(log, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || stat.size <= WORTH_INDEXING) return null;
  const lines = indexLines(indexFile(resultsPath));
  try {
    const head = readHead(lines);
    if (head === null) return null;
    const indexed: KnownLines = { ...head, results: [], places: [] };
    const more = Number(stat.size) - head.end;
    if (!isUnchanged(indexed, stat) && (more <= 0 || more > WORTH_INDEXING)) return null;
    const added = isUnchanged(indexed, stat) ? null : naming(log, () => readOn(log, indexed, 'all bytes'));
    if (added?.isContinued === false) return null;
    const results: T[] = [];
    const visit = (result: ResultDigest): void => {
      const picked = pick(result);
      if (picked !== undefined) results.push(picked);
    };
    if (!visitEntries(lines, head, visit)) return null;
    if (added === null) return { results, corrupt: head.corrupt };
    const { results: last, corrupt } = added.rest === null ? added.now : withRest(added.now, added.rest);
    last.forEach(visit);
    return { results, corrupt };
  } finally {
    lines.return(undefined);
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
