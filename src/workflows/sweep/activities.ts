import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '#activities';

/**
 * No limit of attempts: the results folder or the plan may be unreachable for hours, and the open runs must not be
 * lost. A damaged plan fails at once.
 */
export const activities = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '60 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** A command waits for this. */
export const forgetting = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 2 },
});

export const verify = proxyLocalActivities<Activities>({ startToCloseTimeout: '1 minute' });
