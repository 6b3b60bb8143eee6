import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { verifyScheduleProof, verifyTriggerProof, type ScheduleFacts } from '../../platform/origin.js';
import { isScheduledTime, StoredSchedule } from '../../scenario/stored-schedule.js';
import { originOf } from '../../store/origin.js';
import type { ObjectStore } from '../../store/schedules/object-store.js';
import { scheduleText, triggersFolder, USED } from '../../store/schedules/schedule-files.js';
import { timeOfFiring, type FiringRef } from '../../workflows/protocol.js';
import type { Deps } from './deps.js';
import { checkName } from './load-plan.js';

const HOUR_MS = 3_600_000;
/** A queued firing waits for the sweep before it, others for a worker. Later ones are refused. */
const LATEST_MS = { skip: 24 * HOUR_MS, cancel: 24 * HOUR_MS, allow: 24 * HOUR_MS, queue: 7 * 24 * HOUR_MS };
/** How much the clocks of server and worker may differ. */
const CLOCKS_MS = 60_000;

/** A firing that the schedule of a command caused. */
interface VerifiedFiring {
  stored: StoredSchedule;
  /** When it was due, ms since the epoch. */
  at: number;
}

/**
 * Checks that a command created the schedule with exactly these settings, and that this workflow belongs to it. Whoever
 * reaches Temporal's ports can fire a schedule at any time, so `verifyDue` must follow before anything is started.
 *
 * @throws ApplicationFailure (non-retryable) if not
 */
export async function verifySchedule(
  deps: Deps,
  objects: ObjectStore,
  { schedule, proof }: FiringRef,
): Promise<VerifiedFiring & { facts: ScheduleFacts }> {
  checkName(schedule);
  const found = await scheduleText(objects, schedule);
  if (found === null) throw refusal(schedule, 'there is no such schedule in the results folder');
  const facts = { schedule, hash: found.hash };
  if (!verifyScheduleProof((await originOf(deps)).key, facts, proof))
    throw refusal(schedule, 'it was not created by the command line, or its settings have changed since');
  const at = timeOfFiring(Context.current().info.workflowExecution?.workflowId ?? '', schedule);
  if (at === null) throw refusal(schedule, 'the workflow was not started by the schedule');
  return { stored: StoredSchedule.parse(JSON.parse(found.text)), at, facts };
}

/**
 * Checks that the firing is due: by the settings of the schedule, or by an order of `schedule trigger`, which it uses up.
 *
 * @throws ApplicationFailure (non-retryable) if not
 */
export async function verifyDue(
  deps: Deps,
  objects: ObjectStore,
  { stored, at, facts }: VerifiedFiring & { facts: ScheduleFacts },
  execution: string,
): Promise<{ triggered: boolean }> {
  const { schedule, when, overlap, created_at } = stored;
  const late = Date.now() - at;
  if (late < -CLOCKS_MS || at < Math.floor(Date.parse(created_at) / 1000) * 1000)
    throw refusal(schedule, 'its time is not that of a firing');
  if (late > LATEST_MS[overlap]) throw refusal(schedule, `it is ${Math.floor(late / HOUR_MS)} hours late`);
  if (isScheduledTime(when, at)) return { triggered: false };
  const { key } = await originOf(deps);
  for (const order of await objects.list(triggersFolder(schedule))) {
    if (order.endsWith(USED) || !isFresh(order, LATEST_MS[overlap])) continue;
    const name = `${triggersFolder(schedule)}/${order}`;
    const proof = (await objects.get(name))?.toString() ?? '';
    if (!verifyTriggerProof(key, facts, order, proof)) continue;
    if (await isClaimed(objects, `${name}${USED}`, execution)) return { triggered: true };
  }
  throw refusal(schedule, 'this is not one of its times, and no command has triggered it');
}

/** Orders begin with the time at which they were given. */
const isFresh = (order: string, longestMs: number): boolean =>
  Date.now() - Number(order.split('-')[0]) <= longestMs;

async function isClaimed(objects: ObjectStore, name: string, execution: string): Promise<boolean> {
  return (await objects.putOnce(name, execution)) || (await objects.get(name))?.toString() === execution;
}

/** The error for a firing that no command has caused. */
export const refusal = (schedule: string, why: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `a firing of the schedule ${schedule} is refused: ${why}; use llm-tool-test schedule create or trigger`,
    'NotOurs',
  );
