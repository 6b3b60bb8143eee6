import { mkdirSync, statSync } from 'node:fs';
import { linesOf, remembered, waitForLock } from '#host';
import { createMutex, sha256 } from '#lib';
import { resultsLog } from '../results-folder.js';
import { appendLines } from '../results-log.js';
import { isUnmoved } from '../results-reader.js';
import type { SharedProject } from './shared-project.js';

const LOCK_MS = 60_000;

/** The lines of a mirror's results.jsonl that this process has read, by their hash. */
interface MirrorLines {
  inode: number;
  end: number;
  /** The last of them: if it is still in place, `clean` has not moved the lines. */
  last: { begin: number; end: number; text: string };
  hashes: Set<string>;
}

const known = remembered(() => new Map<string, MirrorLines>());
/** A lock within this process; it holds no data. */
const inTurn = createMutex();

const hashOf = (line: string): string => sha256(line).slice(0, 20);

/** Appends lines to the mirror's results.jsonl, except for those that it has already. Keeps their order. */
export function addLines({ stateFolder, resultsPath }: SharedProject, lines: readonly string[]): Promise<void> {
  return inTurn(async () => {
    const log = resultsLog(resultsPath);
    // Other processes of this machine publish and pull too.
    const lock = await waitForLock(stateFolder, 'results', { timeoutMs: LOCK_MS, onWait: () => undefined });
    if (lock === null) throw new Error(`${log} has been locked by another process for a minute; stop it if it hangs`);
    try {
      const { hashes } = readOn(log);
      const missing = new Map(lines.map((line) => [hashOf(line), line]));
      for (const hash of missing.keys()) if (hashes.has(hash)) missing.delete(hash);
      if (missing.size > 0) mkdirSync(resultsPath, { recursive: true });
      if (missing.size > 0) await appendLines(log, () => [...missing.values()]);
    } finally {
      await lock.release();
    }
  });
}

const NO_LINES = { end: 0, last: { begin: 0, end: 0, text: '' } };

function readOn(log: string): MirrorLines {
  const stat = statSync(log, { throwIfNoEntry: false });
  const before = known().get(log);
  const isSame = before !== undefined && stat?.ino === before.inode && isUnmoved(log, before.last);
  const now: MirrorLines = isSame ? before : { inode: stat?.ino ?? 0, ...NO_LINES, hashes: new Set() };
  if (stat !== undefined && stat.size > now.end) {
    for (const { text, end, whole } of linesOf(log, Infinity, now.end)) {
      if (!whole) break;
      now.last = { begin: now.end, end, text };
      now.end = end;
      now.hashes.add(hashOf(text));
    }
  }
  known().set(log, now);
  return now;
}
