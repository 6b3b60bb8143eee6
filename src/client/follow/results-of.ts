import type { ResultLine } from '../../results/records/result-line.js';
import { resultsLog } from '../../store/results-folder.js';
import { createResultsReader } from '../../store/results-reader.js';
import { corruptLine } from '../sweeps/read-log.js';

/** The results of a sweep while it runs. Each call reads what was written since the last one. */
export interface SweepResults {
  /** All of them, in the order written. */
  all(): ResultLine[];
  /** The last one of each cell, in the order written. */
  last(): ResultLine[];
}

/** Reads the results of a sweep. Warns once about each corrupt line. */
export function resultsOf(resultsPath: string, sweep: string, warn: (text: string) => void): SweepResults {
  const log = resultsLog(resultsPath);
  const warned = new Set<number>();
  const reader = createResultsReader(log, (corrupt) => {
    if (!warned.has(corrupt.line)) warn(corruptLine(log, corrupt));
    warned.add(corrupt.line);
  });
  const byId = new Map<string, ResultLine>();
  const all = (): ResultLine[] => {
    for (const { line } of reader.read()) {
      if (line.sweep !== sweep) continue;
      // A cell without a result has the same id each time.
      byId.delete(line.id);
      byId.set(line.id, line);
    }
    return [...byId.values()];
  };
  const last = (): ResultLine[] => {
    const lines = all();
    const lastOf = new Map(lines.map((line) => [line.cell, line]));
    return lines.filter((line) => lastOf.get(line.cell) === line);
  };
  return { all, last };
}
