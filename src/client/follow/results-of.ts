import type { ResultLine } from '../../results/records/result-line.js';
import { resultsLog } from '../../store/results-folder.js';
import { createResultsReader } from '../../store/results-reader.js';
import { corruptLine } from '../sweeps/read-log.js';

/**
 * Returns a function that reads the sweep's finished runs in the order written, with only the last line of each cell.
 * Warns once about each corrupt line.
 */
export function resultsOf(
  resultsPath: string,
  sweep: string,
  warn: (text: string) => void,
): () => ResultLine[] {
  const log = resultsLog(resultsPath);
  const warned = new Set<number>();
  const reader = createResultsReader(log, (corrupt) => {
    if (!warned.has(corrupt.line)) warn(corruptLine(log, corrupt));
    warned.add(corrupt.line);
  });
  const known = new Map<string, ResultLine>();
  return () => {
    for (const { line } of reader.read()) {
      if (line.sweep !== sweep) continue;
      // lines are read again if the file was replaced; only new ones go to the end
      if (known.get(line.cell)?.id !== line.id) known.delete(line.cell);
      known.set(line.cell, line);
    }
    return [...known.values()];
  };
}
