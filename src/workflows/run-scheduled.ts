import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  isCancellation,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setCurrentDetails,
  startChild,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '#activities';
import {
  type FiringEnd,
  type FiringRef,
  reportWorkflowId,
  type PlannedFiring,
  type ScheduledInput,
  type ScheduledResult,
  SWEEP_ID,
  sweepWorkflowId,
} from '#protocol';
import { untilDone, type Troubles } from './calls.js';
import { reportFiring } from './report-firing.js';
import { rootCauseMessage, troubleText } from './ui.js';
import { runSweep } from './run-sweep.js';

const activities = proxyActivities<Activities>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '60 seconds',
});

/**
 * One firing of a schedule: plans a sweep, and runs it to its end. It ends with its sweep, because the server counts it
 * as running until then; the report is a workflow of its own.
 */
export async function runScheduled({ schedule, proof }: ScheduledInput): Promise<ScheduledResult> {
  const ref: FiringRef = { schedule, proof, execution: workflowInfo().firstExecutionRunId };
  const troubles: Troubles = new Map();
  const show = (): void =>
    setCurrentDetails([...troubles].map(([what, message]) => troubleText({ what, message })).join('\n\n'));
  const planned = await CancellationScope.nonCancellable(() =>
    untilDone('plan the sweep', { troubles, show }, (options) =>
      activities.planScheduled.executeWithOptions(options, [ref]),
    ),
  );
  const end = await runToEnd(planned);
  // Also if the next firing has cancelled this one.
  return CancellationScope.nonCancellable(async () => {
    const { firing } = planned;
    const order: FiringEnd = { ...ref, firing, ...end };
    // In firings that began before, the report is a part of them.
    if (patched('report-apart')) await startReport(order);
    else await reportFiring(order);
    return { firing, sweep: planned.sweep?.sweep ?? null };
  });
}

async function startReport(order: FiringEnd): Promise<void> {
  try {
    await startChild(reportFiring, {
      workflowId: reportWorkflowId(workflowInfo().workflowId),
      args: [order],
      staticSummary: `report of ${order.schedule} ${order.firing}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowTaskTimeout: '5 seconds',
    });
  } catch (error) {
    // After a reset, the report may be under way.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function runToEnd({
  sweep: input,
  title,
  fairnessKey,
}: PlannedFiring): Promise<Pick<FiringEnd, 'status' | 'message'>> {
  if (input === null) return { status: 'not started' };
  const { sweep } = input;
  try {
    const child = await startChild(runSweep, {
      workflowId: sweepWorkflowId(sweep),
      args: [input],
      memo: { round: 1 },
      typedSearchAttributes: [{ key: SWEEP_ID, value: sweep }],
      ...(fairnessKey === undefined ? {} : { priority: { fairnessKey } }),
      staticSummary: title,
      // A sweep continues if this workflow is terminated, and can be steered like any other.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowTaskTimeout: '5 seconds',
    });
    // `schedule trigger` reads it there: only now can the sweep be steered
    upsertMemo({ sweep });
    setCurrentDetails(`Runs the sweep \`${sweep}\``);
    const { status } = await child.result();
    return { status: status === 'cancelled' ? 'cancelled' : 'completed' };
  } catch (error) {
    return isCancellation(error) ? { status: 'cancelled' } : { status: 'lost', message: rootCauseMessage(error) };
  }
}
