import { decide, endedCells } from '#decide';
import { removeSweepEnv } from '#host';
import type { SweepEnd } from '#protocol';
import type { Plan } from '#scenario';
import { decisionAsJudged, documentOfPlan } from '#sweeps';
import { endRound, newestRound, pullResults, resultsIndex, sharedProjectOf, withWarnings } from '#store';
import { LEFT_NO_RESULT, recordMissing } from './report/record-result.js';
import type { Deps } from './step/deps.js';
import { readPlan } from './run/load-plan.js';
import { verifyEnd } from './origin/verify-origin.js';

/**
 * Writes the sweep's summary and deletes its stored variables. Cells whose workflows were lost get a result that says
 * so. A late attempt, after the next round of the sweep has begun, changes nothing.
 */
export const finishSweep =
  (deps: Deps) =>
  async ({ sweep, round, status, lost, overBudget, origin }: SweepEnd): Promise<void> => {
    const { resultsPath, stateFolder } = deps;
    const isOver = async (): Promise<boolean> => (await newestRound(resultsPath, sweep)) > round;
    if (await isOver()) return;
    const { plan, planHash } = await readPlan(resultsPath, sweep);
    const close = await verifyEnd(deps, { sweep, planHash }, origin);
    const project = await sharedProjectOf(resultsPath);
    if (project !== null) await pullResults(project, sweep);
    const index = resultsIndex(resultsPath);
    const again = origin.order.againCells;
    const needed =
      plan.until_clear === undefined
        ? plan.cells
        : decide(plan.cells, plan.until_clear, endedCells(index.linesOfSweep(sweep)), 'open').released;
    const isRecorded = await recordMissing(deps, {
      plan,
      round,
      lost,
      isOver,
      cells: again === undefined ? needed : needed.filter(({ id }) => again.includes(id)),
      // In a cancelled sweep, cells that never started have no result and are not lost.
      otherwise:
        status === 'cancelled' ? null : overBudget === undefined ? LEFT_NO_RESULT : notStarted(overBudget, plan),
    });
    if (!isRecorded) return;
    const results = index.linesOfSweep(sweep);
    const document = documentOfPlan(plan, { uiUrl: null, status, results, resultsPath });
    const decided =
      document.decision === undefined
        ? document
        : {
            ...document,
            decision: await decisionAsJudged(resultsPath, plan, {
              decision: document.decision,
              released: document.cells,
            }),
          };
    if (await isOver()) return;
    const summary = `${JSON.stringify(withWarnings(decided, results), null, 2)}\n`;
    await endRound(resultsPath, sweep, round, summary);
    await removeSweepEnv(stateFolder, sweep);
    await close();
  };

const notStarted = (
  { maxUsd, spentUsd, month }: NonNullable<SweepEnd['overBudget']>,
  { cache, owner = 'nobody' }: Plan,
): { message: string; wasStarted: false } => ({
  message:
    month === undefined
      ? `not started: it might exceed the budget of $${maxUsd} ($${spentUsd} spent); run again with a higher --max-usd${cache ? ' (finished runs come from the cache)' : ''}`
      : `not started: it might exceed what the sweeps of ${owner} may cost in ${month}, $${maxUsd} ($${spentUsd} spent); continue with \`retry\` next month, or with a higher budget in the config`,
  wasStarted: false,
});
