import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
  type ActivityOptions,
  type LocalActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';

/**
 * Failures of the thing under test come back as data. What throws is infrastructure. A full disk is waited for, however long;
 * the activity gives up what fails by itself again and again (step/patient.ts), and the run goes on to its report with the
 * step marked as failed.
 */
const INFRASTRUCTURE = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '5 minutes',
} as const;

/** For a run that is being cancelled, and for what is no part of the result: these wait for a disk for minutes only. */
export const FOR_MINUTES = {
  ...INFRASTRUCTURE,
  maximumInterval: '30 seconds',
  maximumAttempts: 8,
} as const;
/** The death of its worker, however often, must not keep an agent waiting. */
export const AGENT_RETRY = { ...INFRASTRUCTURE, maximumInterval: '30 seconds' } as const;

/** Steps wait for real processes, so a cancel waits until these are gone. */
export const STEP = {
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: INFRASTRUCTURE,
} as const;
const GRACE_SECS = 60;
/** Whoever limits themselves is given some grace, and ends first. */
export const within = (secs: number): { startToCloseTimeout: number } => ({
  startToCloseTimeout: (secs + GRACE_SECS) * 1000,
});
/** Tells what is under way to stop, and waits until the agent has; the run waits only for its step. */
export const STOPPING = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '60 seconds',
  retry: { ...INFRASTRUCTURE, maximumAttempts: 3 },
} as const;
/** For copies of what may be large: the fixture, the workspace. */
export const LONG_STEP = { startToCloseTimeout: '1 hour' } as const;
/** Tried once in process: nobody sees why it fails, before it has failed for good. The server shows it. */
export const ONCE = { maximumAttempts: 1 } as const;

export type StepOptions = ActivityOptions & LocalActivityOptions;

export const activities = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '60 seconds', // four heartbeats of a step
  retry: INFRASTRUCTURE,
});
/**
 * What is over in moments is performed within a workflow task, without a trip to the server for each. Should the
 * worker die meanwhile, the task is given to the next one after its timeout, as any workflow task.
 */
export const inProcess = proxyLocalActivities<Activities>({ startToCloseTimeout: '10 minutes' });
