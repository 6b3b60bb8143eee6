import type { ResultLine } from '../../results/schema.js';
import { resultsLog } from '../../store/results-folder.js';
import { createResultsReader } from '../../store/results-reader.js';
import { warnOfLine } from '../sweeps/read-log.js';

/** Gives a sweep's finished runs in the order written, the last line of each cell. Corrupt lines are warned of once. */
export function resultsOf(resultsPath: string, sweep: string): () => ResultLine[] {
  const log = resultsLog(resultsPath);
  const warned = new Set<number>();
  const reader = createResultsReader(log, (corrupt) => {
    if (!warned.has(corrupt.line)) warnOfLine(log, corrupt);
    warned.add(corrupt.line);
  });
  const known = new Map<string, ResultLine>();
  return () => {
    for (const { line } of reader.read()) {
      if (line.sweep !== sweep) continue;
      // Lines come again when the file was replaced: only what is new goes to the end.
      if (known.get(line.cell)?.id !== line.id) known.delete(line.cell);
      known.set(line.cell, line);
    }
    return [...known.values()];
  };
}
