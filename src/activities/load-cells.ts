import { readResults } from '../store/results-log.js';
import { resultsLog } from '../store/results-folder.js';
import type { CellPage, CellsWanted } from '../workflows/protocol.js';
import { readPlan, type Deps } from './run-context.js';

/** A page of the plan's cells, with the outcome of those that this sweep has finished already. */
export const loadCells =
  ({ resultsPath }: Deps) =>
  async ({ sweep, offset, limit, round = 1 }: CellsWanted): Promise<CellPage> => {
    const plan = await readPlan(resultsPath, sweep);
    const { results } = readResults(resultsLog(resultsPath));
    const finished = new Map(
      results
        .filter((line) => line.sweep === sweep)
        // In a sweep that goes on after its workflow was ended, what that cancelled is still to be done.
        .filter(({ outcome }) => round === 1 || outcome !== 'cancelled')
        .map((line) => [line.cell, line.outcome]),
    );
    return {
      cells: plan.cells
        .slice(offset, offset + limit)
        .map((cell) => ({ cell, finished: finished.get(cell.id) ?? null })),
      total: plan.cells.length,
    };
  };
