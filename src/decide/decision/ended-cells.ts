import type { ResultLine } from '#model';
import {
  endedWithoutResult,
  errorsWithin,
  isDecided,
  wasNeverStarted,
  withoutRepeats,
} from '../without-result.js';
import type { CellResult } from './cell-result.js';

type Line = Pick<
  ResultLine,
  'id' | 'cell' | 'timestamp' | 'outcome' | 'cost_usd' | 'results_dir' | 'starts' | 'lost_runs' | 'begun_anew'
>;

/**
 * The results of cells that have ended, by cell. `lines`: all of the sweep, in the order written. A cell whose run ended
 * with an error may have been run again: the first run that passed or failed counts, else the last. A cell that was not
 * started, because of the budget, has not ended.
 */
export function endedCells(lines: readonly Line[]): Map<string, CellResult> {
  const ended = new Map<string, CellResult>();
  for (const line of withoutRepeats(lines)) {
    const before = ended.get(line.cell);
    if (wasNeverStarted(line) || (before !== undefined && isDecided(before))) continue;
    const errors = (before?.errors ?? 0) + errorsWithin(line) + (endedWithoutResult(line) ? 1 : 0);
    ended.set(line.cell, { outcome: line.outcome, cost_usd: line.cost_usd, errors });
  }
  return ended;
}
