import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isJsonObject, parseJson } from '../../lib/json.js';
import { displayPath } from '../../platform/display-path.js';
import { plannedHomes, projectState } from '../../platform/folders.js';
import type { HumanReview } from '../../results/records/human-review.js';
import type { Judged } from '../../results/review/judged.js';
import { writeDerived } from '../../store/derived-file.js';
import { runFiles } from '../../store/results-folder.js';
import { readReview } from './read-review.js';

/** Reads human reviews like `readReview`, each file once for as long as it does not change. */
export interface KnownReviews {
  read(folder: string, judged: Judged, warn: (text: string) => void): HumanReview | null;
  /** Keeps what was read for later commands, if that was much. */
  save(): void;
}

/** What an evaluation.md contained when it had this stamp, for a run of which a model had judged this. */
type Entry = [stamp: string, judged: string, review: HumanReview | null];

/** Of the format of the file, and of how reviews are read. Raise it with every change: then all of them are read again. */
const VERSION = 1;
const WORTH_SAVING = 200;
/** See `SETTLED_NS` of result-digests.ts. */
const SETTLED_MS = 2000;

const known = new Map<string, KnownReviews>();

/** Returns the reviews of a results folder. They are derived from its files, like `readDigests`. */
export function knownReviews(resultsPath: string): KnownReviews {
  const reviews = known.get(resultsPath) ?? createReviews(resultsPath);
  known.set(resultsPath, reviews);
  return reviews;
}

function createReviews(resultsPath: string): KnownReviews {
  const file = join(projectState(resultsPath, plannedHomes().state).folder, 'index', 'reviews.json');
  const entries = readEntries(file);
  let added = 0;
  return {
    read(folder, judged, warn) {
      const path = runFiles(folder).evaluation;
      const stat = statSync(path, { throwIfNoEntry: false });
      const stamp = stat === undefined ? '-' : `${stat.ino}.${stat.size}.${stat.ctimeMs}`;
      const what = judged.criteria.length + judged.gates.length === 0 ? '' : JSON.stringify(judged);
      const run = basename(folder);
      const entry = entries.get(run);
      if (entry !== undefined && entry[0] === stamp && entry[1] === what) {
        const problem = entry[2]?.problem ?? null;
        if (problem !== null) warn(`warning: ${displayPath(path)}${problem.slice('evaluation.md'.length)}`);
        return entry[2];
      }
      const review = readReview(folder, judged, warn);
      if (stat !== undefined && Date.now() - stat.ctimeMs > SETTLED_MS) {
        entries.set(run, [stamp, what, review]);
        added += 1;
      }
      return review;
    },
    save() {
      if (added < WORTH_SAVING) return;
      writeDerived(file, JSON.stringify({ version: VERSION, reviews: Object.fromEntries(entries) }));
      added = 0;
    },
  };
}

/** Forgets what this process knows, as if it were a new one. */
export const forgetReviews = (): void => known.clear();

function readEntries(file: string): Map<string, Entry> {
  try {
    const index = parseJson(readFileSync(file, 'utf8'));
    if (!isJsonObject(index) || index['version'] !== VERSION || !isJsonObject(index['reviews']))
      return new Map();
    return new Map(Object.entries(index['reviews'] as unknown as Record<string, Entry>));
  } catch {
    return new Map();
  }
}
