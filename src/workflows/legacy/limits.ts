import { sleep } from '@temporalio/workflow';
import type { ProviderLimit } from '../protocol.js';

/** Provider limits that runs of a sweep have reached. Cells of these providers wait. */
export interface Limits {
  add(limit: ProviderLimit): void;
  holds(provider: string | undefined): boolean;
  clear(): void;
  /** The limits that have not ended yet. */
  open(): ProviderLimit[];
}

/** Keeps limits until they end. `carried`: limits that an earlier history met. */
export function trackLimits(carried: readonly ProviderLimit[] = []): Limits {
  const limits = new Map<string, number>();
  const add = ({ provider, until }: ProviderLimit): void => {
    if (until <= (limits.get(provider) ?? 0)) return;
    limits.set(provider, until);
    // The timer wakes the sweep; a cancelled sweep waits for nothing.
    sleep(Math.max(1, until - Date.now())).then(
      () => {
        if (limits.get(provider) === until) limits.delete(provider);
      },
      () => limits.delete(provider),
    );
  };
  for (const limit of carried) add(limit);
  return {
    add,
    holds: (provider) => provider !== undefined && limits.has(provider),
    clear: () => limits.clear(),
    open: () => [...limits].map(([provider, until]) => ({ provider, until })),
  };
}
