import { Worker, type WorkerOptions } from '@temporalio/worker';
import { ENGINE_PROTOCOL } from '#lib';
import { placeQueueOf } from '#protocol';
import type { Host } from '../step/host.js';
import { slotSupplier } from './slot-supplier.js';

/** The version of a worker's workflows, by which the server tells newer builds from older ones. */
const VERSION = /^protocol-(\d+)$/;
export const versionOf = (protocol: number): string => `protocol-${protocol}`;
export const protocolOf = (version: string): number => Number(VERSION.exec(version)?.[1] ?? -1);

/**
 * Creates the workers of a host of shared results: one for the sweeps, which all hosts share, one that takes runs as long
 * as there is a free slot, and one for the runs that the host has. `options` are those of the first, and of the last but
 * for its queue.
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
