import { statSync } from 'node:fs';
import { linesOf } from '#host';
import type { ResultLine } from '#model';
import { parseResult, type CorruptLine } from './results-log.js';

/** Reads results.jsonl from where it stopped the last time. */
export interface ResultsReader {
  /**
   * Returns the results added since the last call. After `clean` has replaced the file, returns all that are left
   * again.
   */
  read(): FoundResult[];
}

interface FoundResult {
  line: ResultLine;
  /** Position of its line in the file, in bytes. */
  begin: number;
}

/** Where reading stopped: after the line that begins at `begin`. */
interface Place {
  inode: number;
  begin: number;
  end: number;
  text: string;
  /** Number of lines up to here. */
  count: number;
}

const NOWHERE: Omit<Place, 'inode'> = { begin: 0, end: 0, text: '', count: 0 };

/**
 * Creates a reader that reads nothing twice, for callers that poll a file that grows to megabytes. A line is read once
 * its newline is there. `warn` is called for lines that are not results.
 */
export function createResultsReader(
  path: string,
  warn: (corrupt: CorruptLine) => void = () => undefined,
): ResultsReader {
  let place: Place | null = null;
  let seen = '';

  function readOn(inode: number, found: FoundResult[]): Place {
    // When `clean` removes lines, all later lines move. If the last line read is still in place, reading continues
    // after it; otherwise it starts over.
    let at: Place = place?.inode === inode && isUnmoved(path, place) ? place : { inode, ...NOWHERE };
    for (const { text, end, whole } of linesOf(path, Infinity, at.end)) {
      if (!whole) break; // still being written, or incomplete
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
      // Set only now, so that lines that could not be read are tried again.
      seen = state;
      place = reached;
      return found;
    },
  };
}

/** Returns whether a line is still where it was. */
export function isUnmoved(path: string, { begin, end, text }: { begin: number; end: number; text: string }): boolean {
  if (end === 0) return true;
  for (const line of linesOf(path, Infinity, begin)) return line.end === end && line.text === text;
  return false;
}
