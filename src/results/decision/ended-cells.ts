import type { ResultLine } from '../records/result-line.js';
import type { CellResult } from './cell-result.js';

type Line = Pick<ResultLine, 'id' | 'cell' | 'timestamp' | 'outcome' | 'cost_usd' | 'results_dir' | 'starts'>;

/**
 * The results of cells that have ended, by cell. `lines`: all of the sweep, in the order written. A cell whose run ended
 * with an error may have been run again: the first run that passed or failed counts, else the last. A cell that was not
 * started, because of the budget, has not ended.
 */
export function endedCells(lines: readonly Line[]): Map<string, CellResult> {
  const ended = new Map<string, CellResult>();
  // A step that is performed twice may write its line twice.
  const once = new Map(lines.map((line) => [JSON.stringify([line.id, line.timestamp]), line]));
  for (const line of once.values()) {
    const before = ended.get(line.cell);
    if (!wasStarted(line) || isDecided(before?.outcome)) continue;
    const errors = (before?.errors ?? 0) + (line.outcome === 'error' ? 1 : 0);
    ended.set(line.cell, { outcome: line.outcome, cost_usd: line.cost_usd, errors });
  }
  return ended;
}

const isDecided = (outcome: CellResult['outcome'] | undefined): boolean =>
  outcome === 'pass' || outcome === 'fail';

const wasStarted = ({ outcome, starts, results_dir }: Line): boolean =>
  outcome !== 'error' || results_dir !== null || starts !== 0;
