import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import proto from '@temporalio/proto';
import { isDeadWorker, ownWorkerIdentity } from '#engine';

const { PendingActivityState } = proto.temporal.api.enums.v1;
type Pending = proto.temporal.api.workflow.v1.IPendingActivityInfo;

export interface PendingStep {
  runId: string;
  activityId: string;
  attempt: number;
  /** Identity of the worker that the server gave the attempt to. */
  worker: string;
}

/** Returns the steps of an execution that the server has given to a worker and whose result it awaits. */
export const handedOut = (runId: string, pending: readonly Pending[]): PendingStep[] =>
  pending.flatMap(({ state, activityId, attempt, lastWorkerIdentity }) =>
    state === PendingActivityState.PENDING_ACTIVITY_STATE_STARTED ||
    state === PendingActivityState.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED
      ? [{ runId, activityId: activityId ?? '', attempt: attempt ?? 1, worker: lastWorkerIdentity ?? '' }]
      : [],
  );

const keyOf = ({ runId, activityId, attempt }: Omit<PendingStep, 'worker'>): string =>
  `${runId}/${activityId}/${attempt}`;

/** The attempts that this worker performs now. They belong to no other one, and each removes its own. */
const underWay = new Set<string>();

/** Marks an attempt as performed by this worker while `perform` runs. */
export async function whileUnderWay<T>(step: Omit<PendingStep, 'worker'>, perform: () => Promise<T>): Promise<T> {
  const key = keyOf(step);
  underWay.add(key);
  try {
    return await perform();
  } finally {
    underWay.delete(key);
  }
}

/** The facts about workers by which steps are checked. */
export interface Workers {
  own: string;
  isDead: (worker: string) => boolean;
  isUnderWay: (key: string) => boolean;
}

/** `host`: name by which the workers of this host identify themselves; see `ownWorkerIdentity`. */
export const workersOn = (host: string | undefined): Workers => ({
  own: ownWorkerIdentity(host),
  isDead: (worker) => isDeadWorker(worker, host),
  isUnderWay: (key) => underWay.has(key),
});

/**
 * Returns a function that finds the steps that nobody performs: either their worker is dead, or it is this one and the
 * server's answer with the step was lost. For our own steps, one check proves nothing: the step may be about to begin,
 * or its result may be on its way. It counts as lost if the next check, seconds later, finds the same attempt.
 */
export function createLostSteps(workers: Workers): (steps: readonly PendingStep[]) => PendingStep[] {
  const suspected = new Set<string>();
  return (steps) =>
    steps.filter((step) => {
      if (workers.isDead(step.worker)) return true;
      const key = keyOf(step);
      if (step.worker !== workers.own || workers.isUnderWay(key)) return false;
      const isLost = suspected.delete(key);
      if (!isLost) suspected.add(key);
      return isLost;
    });
}

/**
 * Fails lost steps, so that the server assigns them again at once instead of after their heartbeat timeout, and takes
 * their workflow off the worker's sticky queue, on which its workflow tasks would wait.
 */
export async function giveUp(client: Client, workflowId: string, lost: readonly PendingStep[]): Promise<void> {
  const failure = ApplicationFailure.create({
    type: 'WorkerLost',
    message: 'worker lost',
    nextRetryDelay: '10 ms',
  });
  for (const { runId, activityId } of lost)
    // An error means that the loss is known already (a timeout, a cancelled run) and handled.
    await client.activity.fail({ workflowId, runId, activityId }, failure).catch(() => undefined);
  const [first] = lost;
  if (first === undefined) return;
  const { namespace } = client.options;
  const execution = { workflowId, runId: first.runId };
  await client.workflowService.resetStickyTaskQueue({ namespace, execution }).catch(() => undefined);
}
