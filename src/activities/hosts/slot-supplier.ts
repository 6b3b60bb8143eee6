import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { ActivitySlotInfo, CustomSlotSupplier } from '@temporalio/worker';
import type { Host } from './host.js';
import type { Slots } from './slots.js';

/**
 * Lets the worker poll for runs only as long as its host has room for them. Otherwise a full host would take runs that
 * it must refuse, while others are idle.
 */
export function slotSupplier(slots: Slots): CustomSlotSupplier<ActivitySlotInfo> {
  /** Polls, and runs that are being placed. */
  let reserved = 0;
  const hasRoom = (): boolean => slots.free() > reserved;
  return {
    type: 'custom',
    reserveSlot: async (_context, signal) => {
      await slots.whenFree(signal, hasRoom);
      reserved += 1;
      return {};
    },
    tryReserveSlot: () => {
      if (!hasRoom()) return null;
      reserved += 1;
      return {};
    },
    markSlotUsed: () => undefined,
    releaseSlot: () => {
      reserved -= 1;
      slots.changed();
    },
  };
}

/** After a slot was taken, the sweep needs some time to start the run's workflow. */
const STARTING_MS = 60_000;

/**
 * Frees the slots of runs that are not on this host: the answer with the slot was lost and the run went to another
 * host, or its sweep has ended.
 */
export async function freeUnusedSlots(
  client: Client,
  { slots, queue }: Host,
  isOwnServer: () => Promise<boolean>,
  now = Date.now(),
): Promise<void> {
  for (const [workflowId, since] of slots.taken()) {
    if (now - since < STARTING_MS) continue;
    if (!(await isHere(client, workflowId, queue, isOwnServer))) slots.release(workflowId);
  }
}

/** True if a run is on this host, or may be: if the server does not answer, this is unknown. */
async function isHere(
  client: Client,
  workflowId: string,
  queue: string,
  isOwnServer: () => Promise<boolean>,
): Promise<boolean> {
  try {
    const { status, taskQueue } = await client.workflow.getHandle(workflowId).describe();
    return (status.name === 'RUNNING' || status.name === 'PAUSED') && taskQueue === queue;
  } catch (error) {
    return !(error instanceof WorkflowNotFoundError && (await isOwnServer()));
  }
}
