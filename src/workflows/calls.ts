import { RetryState } from '@temporalio/common';
import {
  ActivityFailure,
  type ActivityOptions,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { Activities } from '#activities';
import { rootCauseMessage } from './ui.js';

/**
 * For local activities. One that takes longer than a workflow task may would keep the task alive by heartbeats, and be
 * performed again with all others if the worker died. It is tried only once: the reason of a failure is invisible until
 * it has failed for good, while the server shows failures of the activity that follows.
 */
export const WITHIN_TASK = { startToCloseTimeout: '5 seconds', retry: { maximumAttempts: 1 } } as const;

const local = proxyLocalActivities<Activities>(WITHIN_TASK);
const regular = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
});

/** Performs a short activity within the workflow task; if it fails there, as a regular one, retried without limit. */
export const quickly = <R>(call: (steps: typeof local | typeof regular) => Promise<R>): Promise<R> =>
  call(local).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
    return call(regular);
  });

/** A few minutes; after that, the failure is reported. */
const FIRST = {
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 10 },
} as const satisfies ActivityOptions;
/** Half an hour, so that a history holds the tries of months. */
const LATER = { retry: { initialInterval: '1 minute', backoffCoefficient: 1, maximumAttempts: 30 } } as const;

/** The reasons why actions fail at present, by action. */
export type Troubles = Map<string, string>;

/**
 * Performs an activity that must not be given up, however often it fails: the results folder or the plan may be
 * unreachable for hours, and open runs must not be lost. After a few minutes, notes the trouble until it is over.
 * @throws if the failure is final, or if the scope is cancelled
 */
export async function untilDone<R>(
  what: string,
  { troubles, show }: { troubles: Troubles; show: () => void },
  call: (options: ActivityOptions) => Promise<R>,
  first: ActivityOptions = FIRST,
): Promise<R> {
  try {
    for (let options = first; ; options = first === FIRST ? LATER : first)
      try {
        return await call(options);
      } catch (error) {
        const { MAXIMUM_ATTEMPTS_REACHED } = RetryState;
        if (!(error instanceof ActivityFailure) || error.retryState !== MAXIMUM_ATTEMPTS_REACHED) throw error;
        troubles.set(what, rootCauseMessage(error));
        show();
      }
  } finally {
    if (troubles.delete(what)) show();
  }
}
