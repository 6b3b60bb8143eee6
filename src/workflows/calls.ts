import { RetryState } from '@temporalio/common';
import {
  ActivityFailure,
  type ActivityOptions,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { Activities } from '#activities';
import { type RunLimits, runLimitsIn } from '#lib/pure';
import { rootCauseMessage } from './ui.js';

/**
 * For local activities. One that takes longer than a workflow task may would keep the task alive by heartbeats, and be
 * performed again with all others if the worker died. It is tried only once: the reason of a failure is invisible until
 * it has failed for good, while the server shows failures of the activity that follows.
 */
export const withinTask = ({ withinTaskMs }: RunLimits) =>
  ({ startToCloseTimeout: withinTaskMs, retry: { maximumAttempts: 1 } }) as const;

/** A few minutes; then it is said what cannot be done. */
const FIRST = {
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 10 },
} as const satisfies ActivityOptions;
/** Half an hour, so that a history holds the tries of months. */
const LATER = { retry: { initialInterval: '1 minute', backoffCoefficient: 1, maximumAttempts: 30 } } as const;

/** The reasons why actions fail at present, by action. */
export type Troubles = Map<string, string>;

/** The troubles of a workflow, and how to show them. */
export interface Noting {
  troubles: Troubles;
  show: () => void;
}

/**
 * Performs an activity that must not be given up, however often it fails: the results folder or the plan may be
 * unreachable for hours, and open runs must not be lost. After a few minutes, notes the trouble until it is over.
 * @throws if the failure is final, or if the scope is cancelled
 */
export async function untilDone<R>(
  what: string,
  { troubles, show }: Noting,
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

/** Performs an activity of moments within the workflow task; as a regular one, until it is done, if it fails there. */
export const quickly = <R>(
  what: string,
  noting: Noting,
  input: Parameters<typeof runLimitsIn>[0],
  call: (steps: Pick<ReturnType<typeof proxyLocalActivities<Activities>>, keyof Activities>) => Promise<R>,
): Promise<R> =>
  call(proxyLocalActivities<Activities>(withinTask(runLimitsIn(input)))).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
    return untilDone(what, noting, (options) =>
      call(proxyActivities<Activities>({ startToCloseTimeout: '1 minute', ...options })),
    );
  });
