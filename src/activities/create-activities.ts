import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { createMemory } from '#host';
import { isGateActivity } from '#protocol';
import { buildImage } from './build-image.js';
import { checkGate } from './check-gate.js';
import { cleanUp } from './clean-up.js';
import { findEndedRuns } from './find-ended-runs.js';
import { withRetryPolicy } from './step/retry-policy.js';
import { finishSweep } from './finish-sweep.js';
import { endLostRuns, readSigns } from './hosts/end-lost-runs.js';
import { placeCell } from './hosts/place-cell.js';
import { forgetLimits } from './forget-limits.js';
import { judgeRun } from './judge-run.js';
import { loadCells } from './load-cells.js';
import { prepareWorkspace } from './prepare-workspace.js';
import { reuseResult } from './reuse-result.js';
import type { Deps } from './step/deps.js';
import { readMonth } from './read-month.js';
import { decideNext } from './decide-next.js';
import { endConversation, simulateUser } from './converse.js';
import { askModel } from './loop/ask-model.js';
import { callTool } from './loop/call-tool.js';
import { runAgent } from './run-agent.js';
import { runContextScript, runEvaluator, runPostScript } from './run-scripts.js';
import { planScheduled, reportScheduled } from './schedules/scheduled.js';
import { sendWebhook } from './schedules/send-webhook.js';
import { verifyOrder, verifyParked, verifyWake } from './origin/verify-order.js';
import { stopRun } from './watch/end-run.js';
import { writeReport } from './write-report.js';

/** All activities of a worker that have fixed names. They remember in the worker's memory. */
export const createActivities = (deps: Deps, memory = createMemory()) =>
  withRetryPolicy(
    { ...deps, memory },
    {
      loadCells: loadCells(deps),
      decideNext: decideNext(deps),
      readMonth: readMonth(deps),
      findEndedRuns: findEndedRuns(deps),
      finishSweep: finishSweep(deps),
      placeCell: placeCell(deps),
      readSigns: readSigns(deps),
      endLostRuns: endLostRuns(deps),
      forgetLimits: forgetLimits(deps),
      buildImage: buildImage(deps),
      prepareWorkspace: prepareWorkspace(deps),
      runContextScript: runContextScript(deps),
      runAgent: runAgent(deps),
      askModel: askModel(deps),
      callTool: callTool(deps),
      endConversation: endConversation(deps),
      simulateUser: simulateUser(deps),
      runPostScript: runPostScript(deps),
      checkGate: checkGate(deps),
      // The same step, with the patience that a model needs.
      askGate: checkGate(deps),
      runEvaluator: runEvaluator(deps),
      judgeRun: judgeRun(deps),
      stopRun: stopRun(deps),
      reuseResult: reuseResult(deps),
      writeReport: writeReport(deps),
      cleanUp: cleanUp(deps),
      planScheduled: planScheduled(deps),
      reportScheduled: reportScheduled(deps),
      sendWebhook: sendWebhook(deps),
      verifyOrder: verifyOrder(deps),
      verifyParked: verifyParked(deps),
      verifyWake: verifyWake(deps),
    },
  );
export type Activities = ReturnType<typeof createActivities>;

/** Performs all other activities: gates that are checked within workflow tasks have names of their own. */
export const otherActivities =
  ({ checkGate }: Pick<Activities, 'checkGate'>): Activities['checkGate'] =>
  (...args) => {
    const { activityType } = Context.current().info;
    if (isGateActivity(activityType)) return checkGate(...args);
    // As the SDK answers: a worker of another build may know it.
    throw ApplicationFailure.retryable(`this worker has no activity ${activityType}`, 'NotFoundError');
  };
