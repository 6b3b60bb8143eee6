import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { ownCommand, proveOrder } from '#host';
import { InfrastructureError } from '#lib';
import { type ProvenOrder, type SweepStatus, sweepWorkflowId, UPDATES } from '#protocol';
import { notePaused, originKey } from '#store';
import { callServer } from './call-server.js';
import type { Session } from './session.js';

export interface SweepOptions {
  json: boolean;
  results?: string;
  address?: string;
}

/** Options of the commands that continue a sweep and follow it. */
export interface FollowOptions extends SweepOptions {
  envFile?: string;
}

/** A frozen worker is replaced after 20 s. A build of the server, or a slow machine, may take longer. */
const UPDATE_MS = 120_000;

/** The parts of a session that are needed to update a sweep. */
type Steered = Pick<Session, 'client' | 'engine' | 'stateFolder' | 'followServer' | 'limits'>;

/**
 * Sends an update to a sweep's workflow. Returns the sweep's status afterwards, or null if the workflow has closed.
 *
 * @throws InfrastructureError if no worker responds
 */
export async function updateSweep(
  session: Steered,
  sweep: string,
  name: keyof typeof UPDATES,
): Promise<SweepStatus | null> {
  // Repeated calls have the same id, so they are one update. If a worker dies with it, only the call is rejected.
  const updateId = randomUUID();
  const order = await proofOf(session, sweep, name);
  const until = Date.now() + UPDATE_MS;
  try {
    const status = await callServer(
      session,
      (client) => {
        if (Date.now() > until)
          throw new InfrastructureError(
            `no worker responded within ${UPDATE_MS / 1000} s; check ${ownCommand('engine status')} and try again`,
          );
        const handle = client.workflow.getHandle(sweepWorkflowId(sweep));
        return order === null
          ? handle.executeUpdate<SweepStatus, []>(UPDATES[name], { updateId })
          : handle.executeUpdate<SweepStatus, [ProvenOrder]>(UPDATES[name], { updateId, args: [order] });
      },
      { callMs: 30_000, mayTakeLong: true },
    );
    await notePaused(session.engine.resultsPath, sweep, status === 'paused');
    return status;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || closedMeanwhile(error)) return null;
    throw error;
  }
}

/** True if the workflow accepted an update, but closed before it answered. The type is the server's own. */
const closedMeanwhile = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'AcceptedUpdateCompletedWorkflow';

/** Pausing and cancelling cost nothing, so they need no proof (null), and can be done in the Web UI. */
async function proofOf(
  { engine: { resultsPath }, stateFolder }: Steered,
  sweep: string,
  verb: keyof typeof UPDATES,
): Promise<ProvenOrder | null> {
  if (verb === 'pause' || verb === 'cancel') return null;
  const key = await originKey({ resultsPath, stateFolder });
  return proveOrder(key, { sweep, verb });
}
