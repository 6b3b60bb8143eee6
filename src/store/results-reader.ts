import { statSync } from 'node:fs';
import { linesOf } from '../platform/lines.js';
import type { ResultLine } from '../results/schema.js';
import { parseResult, type CorruptLine } from './results-log.js';

/** Reads on in results.jsonl from where it stopped. */
export interface ResultsReader {
  /** The results that came since the last call. After `clean` has replaced the file, all that are left come again. */
  read(): FoundResult[];
}

export interface FoundResult {
  line: ResultLine;
  /** Where in the file its line begins, in bytes. */
  begin: number;
}

/** Where reading stopped: after the line that began at `begin`. */
interface Place {
  inode: number;
  begin: number;
  end: number;
  /** The whole text of that line. */
  text: string;
  /** How many lines there are up to here. */
  count: number;
}

const NOWHERE: Omit<Place, 'inode'> = { begin: 0, end: 0, text: '', count: 0 };

/**
 * A reader that never reads twice what it has read: for those who look often, while the file grows to megabytes. A line
 * is read when its newline is there. `warn` is told of lines that are no results.
 */
export function createResultsReader(
  path: string,
  warn: (corrupt: CorruptLine) => void = () => undefined,
): ResultsReader {
  let place: Place | null = null;
  let seen = '';
  return {
    read() {
      const stat = statSync(path, { throwIfNoEntry: false });
      const state = stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
      if (state === seen) return [];
      seen = state;
      if (stat === undefined) {
        place = null;
        return [];
      }
      // Lines that `clean` takes away move all that come after them: the last one read is where it was, or all is new.
      if (place === null || place.inode !== stat.ino || !isUnmoved(path, place)) {
        place = { inode: stat.ino, ...NOWHERE };
      }
      const found: FoundResult[] = [];
      for (const { text, end, whole } of linesOf(path, Infinity, place.end)) {
        if (!whole) break; // still being written, or cut
        place = { inode: stat.ino, begin: place.end, end, text, count: place.count + 1 };
        if (text.trim() === '') continue;
        const parsed = parseResult(text);
        if (typeof parsed === 'string') warn({ line: place.count, reason: parsed });
        else found.push({ line: parsed, begin: place.begin });
      }
      return found;
    },
  };
}

function isUnmoved(path: string, { begin, end, text }: Place): boolean {
  if (end === 0) return true;
  for (const line of linesOf(path, Infinity, begin)) return line.end === end && line.text === text;
  return false;
}
