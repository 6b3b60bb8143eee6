import type { ResultLine } from '../records/result-line.js';
import type { CellResult } from './replay-rounds.js';

/** The results of cells that have ended, by cell. A cell that was not started, because of the budget, has not. */
export const endedCells = (lines: readonly ResultLine[]): Map<string, CellResult> =>
  new Map(lines.flatMap((line) => (wasStarted(line) ? [[line.cell, line]] : [])));

const wasStarted = ({ outcome, starts, results_dir }: ResultLine): boolean =>
  outcome !== 'error' || results_dir !== null || starts !== 0;
