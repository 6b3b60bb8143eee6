import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Client } from '@temporalio/client';
import { ENGINE_PROTOCOL } from '#lib';
import { placeQueueOf } from '#protocol';
import type { Host } from './host.js';
import { slotSupplier } from './slot-supplier.js';

/** The version of a worker's workflows, by which the server tells newer builds from older ones. */
const VERSION = /^protocol-(\d+)$/;
const versionOf = (protocol: number): string => `protocol-${protocol}`;
const protocolOf = (version: string): number => Number(VERSION.exec(version)?.[1] ?? -1);

/**
 * Creates the workers of a host of shared results: one for the sweeps, which all hosts share, one that takes runs as
 * long as there is a free slot, and one for the runs that the host has. `options` are those of the first, and of the
 * last but for its queue.
 */
export async function createHostWorkers(options: WorkerOptions, host: Host): Promise<Worker[]> {
  const { taskQueue } = options;
  const { placeCell } = options.activities as { placeCell: unknown };
  // This one performs no workflows, and the number of its activities is that of free slots.
  const placing = { ...options };
  delete placing.workflowBundle;
  delete placing.maxConcurrentActivityTaskExecutions;
  const sweeps: WorkerOptions = {
    ...options,
    // While hosts are updated one by one, workflow tasks of a sweep only go to the newest build: an older one cannot
    // replay what a newer one has recorded.
    workerDeploymentOptions: {
      version: { deploymentName: taskQueue, buildId: versionOf(ENGINE_PROTOCOL) },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
  const places: WorkerOptions = {
    ...placing,
    taskQueue: placeQueueOf(taskQueue),
    activities: { placeCell },
    tuner: {
      activityTaskSlotSupplier: slotSupplier(host.slots),
      workflowTaskSlotSupplier: NONE,
      localActivityTaskSlotSupplier: NONE,
      nexusTaskSlotSupplier: NONE,
    },
  };
  const runs: WorkerOptions = { ...options, taskQueue: host.queue };
  return Promise.all([sweeps, places, runs].map((one) => Worker.create(one)));
}

/** For kinds of tasks that a worker does not perform: the SDK wants a number above 0. */
const NONE = { type: 'fixed-size', numSlots: 1 } as const;

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
  const ask = <T>(request: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + ANSWER_MS, request);
  const begun = performance.now();
  let isWarned = false;
  while (!signal.aborted) {
    try {
      const { workerDeploymentInfo, conflictToken } = await ask(() =>
        client.workflowService.describeWorkerDeployment(deployment),
      );
      const current = protocolOf(workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? '');
      if (current > ENGINE_PROTOCOL)
        report(`sweeps are directed by hosts with protocol ${current}, and this one has ${ENGINE_PROTOCOL}; update it`);
      if (current >= ENGINE_PROTOCOL) return;
      await ask(() =>
        client.workflowService.setWorkerDeploymentCurrentVersion({
          ...deployment,
          conflictToken,
          ignoreMissingTaskQueues: true,
          buildId: versionOf(ENGINE_PROTOCOL),
        }),
      );
      report(`hosts with protocol ${ENGINE_PROTOCOL} direct sweeps from now on`);
      return;
    } catch (error) {
      const { message } = error as Error;
      const isLate = performance.now() - begun > LATE_MS;
      if (isLate && !isWarned) report(`no sweep starts until this host may direct them: ${message}; it tries again`);
      isWarned ||= isLate;
    }
    await sleep(isWarned ? SLOWLY_MS : TRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
