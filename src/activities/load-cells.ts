import { readResults } from '../store/results-log.js';
import { resultsLog } from '../store/results-folder.js';
import type { CellPage } from '../workflows/protocol.js';
import { readPlan, type Deps } from './run-context.js';

/** A page of the plan's cells, with the outcome of those that this sweep has finished already. */
export const loadCells =
  ({ resultsPath }: Deps) =>
  async ({ sweep, offset, limit }: { sweep: string; offset: number; limit: number }): Promise<CellPage> => {
    const plan = await readPlan(resultsPath, sweep);
    const { results } = readResults(resultsLog(resultsPath));
    const finished = new Map(
      results.filter((line) => line.sweep === sweep).map((line) => [line.cell, line.outcome]),
    );
    return {
      cells: plan.cells
        .slice(offset, offset + limit)
        .map((cell) => ({ cell, finished: finished.get(cell.id) ?? null })),
      total: plan.cells.length,
    };
  };
