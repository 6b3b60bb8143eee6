import type { ActivitySlotInfo, CustomSlotSupplier } from '@temporalio/worker';
import type { Slots } from '../step/slots.js';

/**
 * Lets the worker poll for runs only as long as its host has room for them. Otherwise a full host would take runs that it
 * must refuse, while others are idle.
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
