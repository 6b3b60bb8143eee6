import type { EventBody } from '../results/events.js';

/** Statuses of a provider that say nothing against the request. */
const AGAIN = new Set([408, 409, 425, 429]);

/** Whether a provider that answered so may serve the same request at another time. */
export const isBusyStatus = (status: number): boolean => AGAIN.has(status) || status >= 500;

/** An error with the provider's status, where the agent tells one; `retryable` where it says so itself, or the status. */
export const errorEvent = (message: string, status: number | null, retryable: boolean): EventBody => ({
  type: 'error',
  message,
  retryable: retryable || (status !== null && isBusyStatus(status)),
  ...(status === null ? {} : { status }),
});

/** A line, or a part of one, that the adapter does not know. */
export const unknownEvent = (kind: string): EventBody => ({ type: 'unknown', kind });
