import {
  ApplicationFailure,
  CancellationScope,
  type ChildWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { defined } from '#lib/pure';
import { cellLabel } from '#model/pure';
import { type OpenRun, type PageCell, type RunPlace, runResultIn, type RunResult } from '#protocol';
import { rootCauseMessage, cellAttributes, summaryOf } from '../ui.js';
import { runScenario } from '../run-scenario.js';
import { endWithoutResult } from '../scheduler/reduce.js';
import type { Cost } from '../scheduler/money.js';
import { activities, enqueue, isLosing, type Sweep, workflowIdOf } from './sweep.js';
import { seekHost } from './hosts.js';
import { adopt, findEnded } from './inherited-runs.js';

/** Finds a host for a run, and runs it there. */
export async function placeRun(sweep: Sweep, run: OpenRun): Promise<void> {
  const { page } = run;
  const { id } = page.cell;
  let place: RunPlace;
  try {
    place = await seekHost(sweep, run);
  } catch (error) {
    enqueue(
      sweep,
      isCancellation(error)
        ? { type: 'not placed', cell: id }
        : endWithoutResult(run, false, rootCauseMessage(error), { costUsd: 0 }),
    );
    return;
  }
  enqueue(sweep, { type: 'placed', cell: id, place });
  await performRun(sweep, page, run, place);
}

/** Runs a cell as a child workflow, until it has ended or is taken over as one of an earlier history. */
export async function performRun(
  sweep: Sweep,
  page: PageCell,
  { lostHosts }: Pick<OpenRun, 'lostHosts'> = {},
  on?: RunPlace,
): Promise<void> {
  const { id } = page.cell;
  const since = Date.now();
  const workflowId = workflowIdOf(sweep, id);
  sweep.started += 1;
  sweep.starting.add(id);
  sweep.inherited.delete(id);
  try {
    const result = await sweep.runs.run(async () => {
      const child = await childOf(sweep, workflowId, page, lostHosts, on);
      sweep.starting.delete(id);
      enqueue(sweep, { type: 'begun', cell: id });
      if (child === null || 'outcome' in child) return child;
      return child.result().catch((error: unknown) => {
        const result = runResultIn(error);
        if (result === null) throw error;
        return result;
      });
    });
    if (result === null) adopt(sweep, id);
    else enqueue(sweep, { type: 'ended', cell: id, outcome: result.outcome, cost: result }, workflowId);
  } catch (error) {
    sweep.starting.delete(id);
    // After its host is lost, the outcome of the workflow is ignored.
    if (isLosing(sweep, workflowId)) return;
    const isCancelled = isCancellation(error);
    const cost = isCancelled ? await costOfCancelled(sweep, id, workflowId) : spentOf(error);
    enqueue(sweep, endWithoutResult({ page, since }, isCancelled, rootCauseMessage(error), cost), workflowId);
  }
}

/** Starts the workflow of a run. If it has been started already, returns its result, or null if it is open. */
async function childOf(
  sweep: Sweep,
  workflowId: string,
  { cell, fresh, proof: ownProof = '' }: PageCell,
  lostHosts: OpenRun['lostHosts'],
  on: RunPlace | undefined,
): Promise<ChildWorkflowHandle<typeof runScenario> | RunResult | null> {
  const { input } = sweep;
  const start = (workflowIdReusePolicy: WorkflowIdReusePolicy) =>
    startChild(runScenario, {
      workflowId,
      workflowIdReusePolicy,
      args: [
        {
          sweep: input.sweep,
          cell,
          proof: on?.proof ?? ownProof,
          ...defined({ fresh, lostHosts, sparse: input.sparse, limits: input.limits }),
          ...(sweep.isHandingOver ? { announcesEnd: true } : {}),
        },
      ],
      ...(on === undefined ? {} : { taskQueue: on.queue }),
      typedSearchAttributes: cellAttributes(input.sweep, cell),
      staticSummary: summaryOf(cellLabel(cell)),
      // A next history takes the run over. If this sweep is terminated, the worker cancels the run.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      // The time until a dead worker's workflow task is given to another worker.
      workflowTaskTimeout: '5 seconds',
    });
  try {
    return await start(WorkflowIdReusePolicy.REJECT_DUPLICATE);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    // This sweep was reset to a time before it started the run.
    const [ended] = await findEnded(sweep, [cell.id], 0);
    return ended === undefined ? null : (ended.result ?? start(WorkflowIdReusePolicy.ALLOW_DUPLICATE));
  }
}

/** A cancelled workflow closes without a result. Its cost matters if the sweep goes on and has a budget. */
async function costOfCancelled({ input, state }: Sweep, cell: string, workflowId: string): Promise<Cost> {
  if (state.money === null || state.cancelled) return { costUsd: null };
  const [ended] = await CancellationScope.nonCancellable(() =>
    activities.findEndedRuns({ sweep: input.sweep, runs: [{ cell, workflowId }], waitMs: 0 }),
  );
  return { costUsd: null, knownUsd: ended?.knownUsd ?? 0 };
}

/** Cost of the agent of a run that could not write its report, from the details of the run's error. */
function spentOf(error: unknown): Cost {
  const { cause } = error as Error;
  const [known] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  return { costUsd: null, ...(known as Partial<Pick<RunResult, 'costUsd' | 'knownUsd'>> | undefined) };
}
