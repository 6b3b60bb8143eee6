import { removeSweepEnv } from '../platform/sweep-env.js';
import { resultWithoutRun } from '../results/records/result-line.js';
import { buildSweepDocument } from '../results/records/sweep-document.js';
import { scenarioOf } from '../scenario/plan.js';
import { resultsLog } from '../store/results-folder.js';
import { resultsIndex } from '../store/results-index.js';
import { appendResult } from '../store/results-log.js';
import { publishWithoutRun, pullResults } from '../store/shared/mirror.js';
import { sharedProjectOf } from '../store/shared/shared-project.js';
import { endRound, newestRound } from '../store/sweep-round.js';
import { withWarnings } from '../store/with-warnings.js';
import { sweepWorkflowId, type SweepEnd } from '../workflows/protocol.js';
import { countCell } from './report/count-cell.js';
import type { Deps } from './step/deps.js';
import { readPlan } from './step/load-plan.js';
import { verifyEnd } from './step/verify-origin.js';

/** After so many cells without a result, it is checked again whether the next round has begun. */
const CELLS_PER_CHECK = 100;

/**
 * Writes the sweep's summary and deletes its stored variables. Cells whose workflows were lost get a result that says
 * so. A late attempt, after the next round of the sweep has begun, changes nothing.
 */
export const finishSweep =
  (deps: Deps) =>
  async ({ sweep, round = 1, status, lost, overBudget, origin }: SweepEnd): Promise<void> => {
    const { resultsPath, stateFolder } = deps;
    const isOver = async (): Promise<boolean> => (await newestRound(resultsPath, sweep)) > round;
    if (await isOver()) return;
    const { plan, planHash } = await readPlan(resultsPath, sweep);
    const close = await verifyEnd(deps, { sweep, planHash }, origin);
    const project = await sharedProjectOf(resultsPath);
    if (project !== null) await pullResults(project, sweep);
    const log = resultsLog(resultsPath);
    const index = resultsIndex(resultsPath);
    const known = index.ofSweep(sweep);
    const lostCells = new Map(lost.map((one) => [one.cell, one]));
    let written = 0;
    for (const cell of plan.cells) {
      const lostCell = lostCells.get(cell.id);
      // A lost run may have written its result before it was lost. It may also repeat a run that has one.
      if ((known.get(cell.id)?.startedAt ?? -1) >= (lostCell?.since ?? 0)) continue;
      // In a cancelled sweep, cells that never started have no result and are not lost.
      if (status === 'cancelled' && lostCell === undefined) continue;
      if (origin?.order.againCells?.includes(cell.id) === false) continue;
      const message = lostCell?.message ?? withoutResult(overBudget);
      const scenario_hash = scenarioOf(plan, cell)?.hash ?? '';
      const timestamp = new Date().toISOString();
      if (written++ % CELLS_PER_CHECK === 0 && (await isOver())) return;
      const line = resultWithoutRun(cell, {
        ...{ sweep, scenario_hash, timestamp, outcome: 'error', message },
        // The number of starts is unknown: the agent may have been started.
        ...(overBudget === undefined || lostCell !== undefined ? { attempts: null, starts: null } : {}),
      });
      if (project === null) await appendResult(log, line);
      countCell(
        deps.metrics,
        project === null ? line : await publishWithoutRun(project, { sweep, cell: cell.id, round }, line),
      );
    }
    const results = index.linesOfSweep(sweep);
    const document = buildSweepDocument({
      sweep,
      workflowId: sweepWorkflowId(sweep),
      uiUrl: null,
      status,
      maxUsd: plan.max_usd,
      cells: plan.cells,
      live: plan.live === true,
      scenarios: plan.scenarios,
      results,
      resultsPath,
    });
    if (await isOver()) return;
    const summary = `${JSON.stringify(withWarnings(document, results), null, 2)}\n`;
    await endRound(resultsPath, sweep, round, summary);
    await removeSweepEnv(stateFolder, sweep);
    await close();
  };

const withoutResult = (overBudget: SweepEnd['overBudget']): string =>
  overBudget === undefined
    ? 'the run left no result'
    : `not started: it might exceed the budget of $${overBudget.maxUsd} ($${overBudget.spentUsd} spent); run again with a higher --max-usd (finished runs come from the cache)`;
