import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { askServer } from './ask-server.js';
import { ownCommand } from '../platform/invocation.js';
import { proveOrder } from '../platform/origin.js';
import { originOf } from '../store/origin.js';
import { sweepWorkflowId, UPDATES, type ProvenOrder, type SweepStatus } from '../workflows/protocol.js';
import type { Session } from './session.js';
import { InfrastructureError, UsageError } from '../lib/usage-error.js';

export interface SweepOptions {
  json: boolean;
  results?: string;
  address?: string;
}

/** Of the verbs that go on with a sweep and follow it. */
export interface FollowOptions extends SweepOptions {
  envFile?: string;
}

/** Its runs redact the values that they were given: others must not take their place before they have ended. */
export const keepsValues = (sweep: string): UsageError =>
  new UsageError(
    'env_file',
    `--env-file: ${sweep} has not ended and keeps the values that it was started with; first ${ownCommand(`cancel ${sweep}`)}, then ${ownCommand(`retry ${sweep} --env-file <file>`)}`,
  );

/** A worker that froze is replaced after 20 s; a build of the server or a slow machine may take longer. */
const UPDATE_MS = 120_000;

/** What of a session is needed to steer a sweep. */
type Steered = Pick<Session, 'client' | 'engine' | 'stateFolder' | 'followServer'>;

/** The sweep's status after an update; null when its workflow has closed since it was looked at. */
export async function updateSweep(
  session: Steered,
  sweep: string,
  name: keyof typeof UPDATES,
): Promise<SweepStatus | null> {
  // Asked again, it is the same update: a worker that dies with it makes the server refuse it, and no more.
  const updateId = randomUUID();
  const order = await proofOf(session, sweep, name);
  const until = Date.now() + UPDATE_MS;
  try {
    return await askServer(
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
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** To pause and to cancel spends nothing: these need no proof, and can be given in the Web UI. */
async function proofOf(
  { engine: { resultsPath }, stateFolder }: Steered,
  sweep: string,
  verb: keyof typeof UPDATES,
): Promise<ProvenOrder | null> {
  if (verb === 'pause' || verb === 'cancel') return null;
  const { key } = await originOf({ resultsPath, stateFolder });
  return proveOrder(key, { sweep, verb });
}
