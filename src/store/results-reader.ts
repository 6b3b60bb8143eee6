import { statSync } from 'node:fs';
import { linesOf } from '../platform/fs/lines.js';
import type { ResultLine } from '../results/records/result-line.js';
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

  function readOn(inode: number, found: FoundResult[]): Place {
    // Lines that `clean` takes away move all that come after them: the last one read is where it was, or all is new.
    let at: Place = place?.inode === inode && isUnmoved(path, place) ? place : { inode, ...NOWHERE };
    for (const { text, end, whole } of linesOf(path, Infinity, at.end)) {
      if (!whole) break; // still being written, or cut
      at = { inode, begin: at.end, end, text, count: at.count + 1 };
      if (text.trim() === '') continue;
      const parsed = parseResult(text);
      if (typeof parsed === 'string') warn({ line: at.count, reason: parsed });
      else found.push({ line: parsed, begin: at.begin });
    }
    return at;
  }

  return {
    read() {
      const stat = statSync(path, { throwIfNoEntry: false });
      const state = stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
      if (state === seen) return [];
      const found: FoundResult[] = [];
      const reached = stat === undefined ? null : readOn(stat.ino, found);
      // Only now: what could not be read is read again the next time.
      seen = state;
      place = reached;
      return found;
    },
  };
}

function isUnmoved(path: string, { begin, end, text }: Place): boolean {
  if (end === 0) return true;
  for (const line of linesOf(path, Infinity, begin)) return line.end === end && line.text === text;
  return false;
}
