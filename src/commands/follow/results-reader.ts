import { statSync } from 'node:fs';
import type { ResultLine } from '../../results/schema.js';
import { resultsLog } from '../../store/results-folder.js';
import { readResults } from '../../store/results-log.js';
import { say } from '../output.js';

/** Gives a sweep's finished runs; the file is read only when it has grown. Corrupt lines are warned of once. */
export function resultsReader(resultsPath: string, sweep: string): () => ResultLine[] {
  const log = resultsLog(resultsPath);
  const warned = new Set<number>();
  let size = -1;
  let lines: ResultLine[] = [];
  return () => {
    const now = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (now === size) return lines;
    const { results, corrupt } = readResults(log);
    for (const { line, reason } of corrupt) {
      if (!warned.has(line)) say(`warning: ${log}:${line}: this line is passed over: ${reason}`);
      warned.add(line);
    }
    size = now;
    lines = results.filter((result) => result.sweep === sweep);
    return lines;
  };
}
