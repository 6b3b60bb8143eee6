import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { forDeadWorkers } from './inflight.js';

/**
 * Fails the activities of dead workers of this state folder, so that their next attempts come to us within a second,
 * and takes their workflows off the dead workers' sticky queues, on which tasks would wait for ten.
 */
export function giveUpLost(client: Client, stateFolder: string): Promise<void> {
  const { namespace } = client.options;
  return forDeadWorkers(stateFolder, async ({ taskToken, workflowId, runId }) => {
    const lost = ApplicationFailure.create({
      type: 'WorkerLost',
      message: 'worker lost',
      nextRetryDelay: '10 ms',
    });
    // Whoever knows of the loss already (a timeout, a cancelled run) needs no word from us.
    await client.activity.fail(Buffer.from(taskToken, 'base64'), lost).catch(() => undefined);
    await client.workflowService
      .resetStickyTaskQueue({ namespace, execution: { workflowId, runId } })
      .catch(() => undefined);
  });
}
