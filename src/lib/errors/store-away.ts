import { UsageError } from './usage-error.js';

/** The shared place cannot be reached for now: it is not mounted, or its server does not answer. */
export class StoreAway extends Error {}

/** Whether an error is one of a shared place that cannot be used until a person, or the network, has repaired it. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreAway || (error instanceof UsageError && error.code === 'results_unwritable');
