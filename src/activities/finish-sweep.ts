import { removeHandover } from '../platform/handover.js';
import { writeFileAtomic } from '../platform/write-file.js';
import { resultWithoutRun } from '../results/schema.js';
import { buildSweepDocument } from '../results/sweep-document.js';
import { scenarioOf } from '../scenario/plan.js';
import { resultsLog, summaryFile } from '../store/results-folder.js';
import { appendResult, readResults } from '../store/results-log.js';
import { sweepWorkflowId, type SweepEnd } from '../workflows/protocol.js';
import type { Deps } from './step/run-context.js';
import { readPlan } from './step/stored.js';

/** Writes the sweep's summary and forgets its secrets. Cells whose workflows were lost get a result that says so. */
export const finishSweep =
  ({ resultsPath, stateFolder }: Deps) =>
  async ({ sweep, status, lost, overBudget }: SweepEnd): Promise<void> => {
    const plan = await readPlan(resultsPath, sweep);
    const log = resultsLog(resultsPath);
    const known = new Map(
      readResults(log)
        .results.filter((line) => line.sweep === sweep)
        .map((line) => [line.cell, Date.parse(line.timestamp)]),
    );
    const lostCells = new Map(lost.map((one) => [one.cell, one]));
    for (const cell of plan.cells) {
      const lostCell = lostCells.get(cell.id);
      // A run that was lost may have left its result before, and may be a repetition of one that has a result.
      if ((known.get(cell.id) ?? -1) >= (lostCell?.since ?? 0)) continue;
      // Of a cancelled sweep the cells that never started have no result, and are not lost.
      if (status === 'cancelled' && lostCell === undefined) continue;
      const message = lostCell?.message ?? withoutResult(overBudget);
      const scenario_hash = scenarioOf(plan, cell)?.hash ?? '';
      const timestamp = new Date().toISOString();
      await appendResult(
        log,
        resultWithoutRun(cell, { sweep, scenario_hash, timestamp, outcome: 'error', message }),
      );
    }
    const { results } = readResults(log);
    const document = buildSweepDocument({
      sweep,
      workflowId: sweepWorkflowId(sweep),
      uiUrl: null,
      status,
      maxUsd: plan.max_usd,
      cells: plan.cells,
      results,
      resultsPath,
    });
    await writeFileAtomic(summaryFile(resultsPath, sweep), `${JSON.stringify(document, null, 2)}\n`);
    await removeHandover(stateFolder, sweep);
  };

/** Why a cell has no result. */
const withoutResult = (overBudget: SweepEnd['overBudget']): string =>
  overBudget === undefined
    ? 'the run left no result'
    : `not started: it might pass the budget of $${overBudget.maxUsd} ($${overBudget.spentUsd} spent); run it again with a higher --max-usd, what has finished comes from the cache`;
