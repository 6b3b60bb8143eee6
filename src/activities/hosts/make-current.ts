import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ENGINE_PROTOCOL } from '#lib';
import { protocolOf, versionOf } from './host-workers.js';

const ANSWER_MS = 10_000;
const TRY_MS = 500;
/** Something is wrong if it has not succeeded by then. */
const LATE_MS = 30_000;
const SLOWLY_MS = 5000;

/**
 * Has the server give the workflow tasks of sweeps to builds like this one, unless a newer one already gets them. Tries
 * until the server answers and knows the worker, which it does soon after the worker has begun to poll, or the signal
 * aborts.
 */
export async function makeCurrent(
  client: Client,
  deploymentName: string,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<void> {
  const { namespace } = client.options;
  const deployment = { namespace, deploymentName };
  /** A request whose answer got lost would otherwise be waited for until the worker ends, and no sweep would start. */
  const ask = <T>(request: () => Promise<T>): Promise<T> =>
    client.withDeadline(Date.now() + ANSWER_MS, request);
  const begun = performance.now();
  let isWarned = false;
  while (!signal.aborted) {
    try {
      const { workerDeploymentInfo, conflictToken } = await ask(() =>
        client.workflowService.describeWorkerDeployment(deployment),
      );
      const current = protocolOf(
        workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? '',
      );
      if (current > ENGINE_PROTOCOL)
        report(
          `sweeps are directed by hosts with protocol ${current}, and this one has ${ENGINE_PROTOCOL}; update it`,
        );
      if (current >= ENGINE_PROTOCOL) return;
      await ask(() =>
        client.workflowService.setWorkerDeploymentCurrentVersion({
          ...{ ...deployment, conflictToken, ignoreMissingTaskQueues: true },
          buildId: versionOf(ENGINE_PROTOCOL),
        }),
      );
      report(`hosts with protocol ${ENGINE_PROTOCOL} direct sweeps from now on`);
      return;
    } catch (error) {
      const { message } = error as Error;
      const isLate = performance.now() - begun > LATE_MS;
      if (isLate && !isWarned)
        report(`no sweep starts until this host may direct them: ${message}; it tries again`);
      isWarned ||= isLate;
    }
    await sleep(isWarned ? SLOWLY_MS : TRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
