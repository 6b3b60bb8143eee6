import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
  type ActivityOptions,
  type LocalActivityOptions,
  type RetryPolicy,
} from '@temporalio/workflow';
import type { Activities } from '#activities';
import { type RunLimits, runLimitsIn } from '#lib/pure';
import { withinTask } from '../calls.js';

/** `maximumInterval` is in ms. */
export type StepRetry = Omit<RetryPolicy, 'maximumInterval'> & { maximumInterval: number };

/**
 * Failures of the thing under test are returned as data; only infrastructure failures throw. A full disk is waited out,
 * however long that takes. After repeated failures of other kinds the activity gives up
 * (activities/step/retry-policy.ts), and the run continues to its report with the step marked as failed.
 */
const INFRASTRUCTURE = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: 5 * 60_000,
} as const satisfies StepRetry;

/**
 * For a run that is being cancelled, and for steps that are not part of the result: these wait for a full disk only for
 * minutes.
 */
export const FOR_MINUTES = {
  ...INFRASTRUCTURE,
  maximumInterval: 30_000,
  maximumAttempts: 8,
} as const;
/** However often its worker dies, an agent must not wait long for the next attempt. */
export const AGENT_RETRY = { ...INFRASTRUCTURE, maximumInterval: 30_000 } as const;

/** Steps that send few heartbeats may be silent for this many times as long; see activities/step/heartbeat.ts. */
const SPARSE = 3;

/**
 * Steps wait for real processes, so a cancel waits until these have ended. `isSparse`: whether the step sends few
 * heartbeats.
 */
export const stepOptions = (
  { heartbeatMs, retryMs }: RunLimits,
  isSparse: boolean,
  retry: StepRetry = INFRASTRUCTURE,
): StepOptions => ({
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  heartbeatTimeout: isSparse ? SPARSE * heartbeatMs : heartbeatMs,
  retry: { ...retry, maximumInterval: Math.min(retry.maximumInterval, retryMs) },
});
const GRACE_SECS = 60;
/** A step limits its own time. The grace period lets that limit take effect before Temporal's timeout. */
export const within = (secs: number): { startToCloseTimeout: number } => ({
  startToCloseTimeout: (secs + GRACE_SECS) * 1000,
});
/** For `stopRun`, which tells the current step to stop and stops the agent. The run itself waits only for its step. */
export const STOPPING = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '60 seconds',
  retry: { ...INFRASTRUCTURE, maximumAttempts: 3 },
} as const;
/** For steps that copy what may be large: the fixture, the workspace. */
export const LONG_STEP = { startToCloseTimeout: '1 hour' } as const;

export type StepOptions = ActivityOptions & LocalActivityOptions;

export const activities = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '60 seconds',
  retry: INFRASTRUCTURE,
});
/**
 * Steps that take only moments run within a workflow task, which saves a round trip to the server for each. They have
 * no longer than the task; a slow disk makes a regular activity of them, whose fence stops the slow attempt.
 */
export const inProcess = proxyLocalActivities<Activities>(withinTask(runLimitsIn({})));
/** Gates that are checked in this way, by names of their own (`gateActivity`). */
export const gatesInProcess = proxyLocalActivities<Record<string, Activities['checkGate']>>(
  withinTask(runLimitsIn({})),
);
