import { sleep } from '@temporalio/workflow';
import type { ProviderLimit } from '../protocol.js';

/** Limits of accounts that runs of a sweep have met: cells that would meet them wait. */
export interface Limits {
  add(limit: ProviderLimit): void;
  /** Whether cells of the provider wait. */
  holds(provider: string | undefined): boolean;
  clear(): void;
  /** Those that have not passed yet. */
  open(): ProviderLimit[];
}

/** Keeps limits until their time is over; `carried` are those that the history before this one had met. */
export function trackLimits(carried: readonly ProviderLimit[] = []): Limits {
  const limits = new Map<string, number>();
  const add = ({ provider, until }: ProviderLimit): void => {
    if (until <= (limits.get(provider) ?? 0)) return;
    limits.set(provider, until);
    // The timer wakes the sweep up; a cancelled sweep waits for nothing.
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
