import type { ResultLine } from '../../results/records/result-line.js';
import { resultsLog } from '../../store/results-folder.js';
import { createResultsReader } from '../../store/results-reader.js';
import { corruptLine } from '../sweeps/read-log.js';

/** The results of a sweep while it runs. Each call reads what was written since the last one. */
export interface SweepResults {
  /** All of them, in the order written. */
  all(): ResultLine[];
  /** The last one of each cell, in the order in which cells got their first result or a new one. */
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
  const byCell = new Map<string, ResultLine>();
  const byId = new Map<string, ResultLine>();
  const readOn = (): void => {
    for (const { line } of reader.read()) {
      if (line.sweep !== sweep) continue;
      // lines are read again if the file was replaced; only new ones go to the end
      if (byCell.get(line.cell)?.id !== line.id) byCell.delete(line.cell);
      byCell.set(line.cell, line);
      byId.delete(line.id);
      byId.set(line.id, line);
    }
  };
  return {
    all() {
      readOn();
      return [...byId.values()];
    },
    last() {
      readOn();
      return [...byCell.values()];
    },
  };
}
