import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ENGINE_PROTOCOL } from '../../lib/engine-protocol.js';
import { protocolOf, versionOf } from './host-workers.js';

const TRY_MS = 500;
/** A code of gRPC. */
const UNIMPLEMENTED = 12;

/**
 * Has the server give the workflow tasks of sweeps to builds like this one, unless a newer one already gets them. Tries
 * until the server answers and knows the worker, which it does soon after the worker has begun to poll, or the signal
 * aborts.
 *
 * @throws Error if the server does not support this
 */
export async function makeCurrent(
  client: Client,
  deploymentName: string,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = client.options;
  while (!signal.aborted) {
    try {
      const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({
        ...{ namespace, deploymentName },
      });
      const version = workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? '';
      if (protocolOf(version) >= ENGINE_PROTOCOL) return;
      await client.workflowService.setWorkerDeploymentCurrentVersion({
        ...{ namespace, deploymentName, ignoreMissingTaskQueues: true },
        buildId: versionOf(ENGINE_PROTOCOL),
      });
      return;
    } catch (error) {
      if ((error as { code?: number }).code === UNIMPLEMENTED)
        throw new Error(
          'the Temporal server does not support Worker Versioning; hosts need server 1.28 or later',
        );
    }
    await sleep(TRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
