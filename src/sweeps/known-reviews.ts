import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { displayPath, isSettled, plannedHomes, projectState, remembered } from '#host';
import { parseJson } from '#lib';
import type { HumanReview, Judged } from '#model';
import { indexLines, runFiles, writeDerived } from '#store';
import { readReview } from './read-review.js';

/** Reads human reviews like `readReview`, each file once for as long as it does not change. */
export interface KnownReviews {
  read(folder: string, judged: Judged, warn: (text: string) => void): HumanReview | null;
  /** Keeps what was read for later commands, if that was much. */
  save(): void;
}

/**
 * The contents of an evaluation.md with this stamp, of a run of which a model had judged this. Only the stamp, if
 * nothing was judged and there is no review: so it is with most of thousands of runs.
 */
type Entry = string | [stamp: string, judged: string, review: HumanReview | null];

/**
 * The version of the file's format, and of how reviews are read. Raise it with every change: then all of them are read
 * again.
 */
const VERSION = 2;
const WORTH_SAVING = 200;

const opened = remembered(() => new Map<string, KnownReviews>());

/** Returns the reviews of a results folder that this command or worker has open; opens them at the first call. */
export function knownReviews(resultsPath: string): KnownReviews {
  const reviews = opened().get(resultsPath) ?? openReviews(resultsPath);
  opened().set(resultsPath, reviews);
  return reviews;
}

/** Opens the reviews of a results folder. They are derived from its files, like `openResultsIndex`. */
export function openReviews(resultsPath: string): KnownReviews {
  const file = join(projectState(resultsPath, plannedHomes().state).folder, 'index', 'reviews.json');
  const entries = readEntries(file);
  let added = 0;
  return {
    read(folder, judged, warn) {
      const path = runFiles(folder).evaluation;
      const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
      const stamp = stat === undefined ? '-' : `${stat.ino}.${stat.size}.${stat.ctimeNs}`;
      const what = judged.criteria.length + judged.gates.length === 0 ? '' : JSON.stringify(judged);
      const run = basename(folder);
      const entry = entries.get(run);
      if (entry === stamp && what === '') return null;
      if (typeof entry === 'object' && entry[0] === stamp && entry[1] === what) {
        const problem = entry[2]?.problem ?? null;
        if (problem !== null) warn(`warning: ${displayPath(path)}${problem.slice('evaluation.md'.length)}`);
        return entry[2];
      }
      const review = readReview(folder, judged, warn);
      if (stat !== undefined && isSettled(stat)) {
        entries.set(run, what === '' && review === null ? stamp : [stamp, what, review]);
        added += 1;
      }
      return review;
    },
    save() {
      if (added < WORTH_SAVING) return;
      writeDerived(file, textsOf(entries));
      added = 0;
    },
  };
}

/** The first line is the version. Each of the others is a run and its entry. */
function* textsOf(entries: ReadonlyMap<string, Entry>): Generator<string> {
  yield `${VERSION}\n`;
  for (const entry of entries) yield `${JSON.stringify(entry)}\n`;
}

function readEntries(file: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const lines = indexLines(file);
  try {
    if (parseJson(String(lines.next().value ?? '')) !== VERSION) return entries;
    for (const text of lines) {
      const entry = parseJson(text) as [string, Entry] | undefined;
      if (Array.isArray(entry)) entries.set(...entry);
    }
    return entries;
  } finally {
    lines.return(undefined);
  }
}
