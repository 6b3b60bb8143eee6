import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type ScheduleFacts, verifyScheduleProof, verifyTriggerProof } from '#host';
import { type FiringRef, timeOfFiring } from '#protocol';
import { isScheduledTime, StoredSchedule } from '#scenario';
import { type ObjectStore, originKey, replacedText, scheduleText, triggersFolder, USED } from '#store';
import type { Deps } from '../step/deps.js';
import { checkName } from '../run/load-plan.js';

const HOUR_MS = 3_600_000;
/** A queued firing waits for the sweep before it, others for a worker. Later ones are refused. */
const LATEST_MS = { skip: 24 * HOUR_MS, cancel: 24 * HOUR_MS, allow: 24 * HOUR_MS, queue: 7 * 24 * HOUR_MS };
/** The most by which the clocks of server and worker may differ. */
const CLOCKS_MS = 60_000;

/** A firing that the schedule of a command caused. */
interface VerifiedFiring {
  stored: StoredSchedule;
  /**
   * The reason why no firing may begin with these settings any more; null if it may. One that has begun is still
   * reported.
   */
  outdated: string | null;
  /** When it was due, ms since the epoch. */
  at: number;
}

/**
 * Checks that a command created the schedule with exactly these settings, which may have been replaced since, and that
 * this workflow belongs to it. Whoever reaches Temporal's ports can fire a schedule at any time, so `notDue` or
 * `claimOrder` must follow before anything is started.
 *
 * @throws ApplicationFailure (non-retryable) if not
 */
export async function verifySchedule(
  deps: Deps,
  objects: ObjectStore,
  { schedule, proof }: FiringRef,
): Promise<VerifiedFiring & { facts: ScheduleFacts }> {
  checkName(schedule);
  const key = await originKey(deps);
  const isProven = (hash: string): boolean => verifyScheduleProof(key, { schedule, hash }, proof);
  const current = await scheduleText(objects, schedule);
  const outdated =
    current === null
      ? 'there is no such schedule in the results folder'
      : isProven(current.hash)
        ? null
        : 'it was not created by the command line, or its settings have changed since';
  const found = outdated === null ? current : await replacedText(objects, schedule, isProven);
  if (found === null) throw refusal(schedule, outdated ?? '');
  const at = timeOfFiring(Context.current().info.workflowExecution?.workflowId ?? '', schedule);
  if (at === null) throw refusal(schedule, 'the workflow was not started by the schedule');
  const stored = StoredSchedule.parse(JSON.parse(found.text));
  return { stored, outdated, at, facts: { schedule, hash: found.hash } };
}

/**
 * Returns why the firing does not come at a time of the schedule; null if it does. Otherwise `schedule trigger` or
 * `schedule backfill` must have ordered it.
 *
 * @throws ApplicationFailure (non-retryable) if no firing can have this time
 */
export function notDue({ stored, outdated, at }: VerifiedFiring): string | null {
  const { schedule, when, overlap, created_at } = stored;
  if (outdated !== null) throw refusal(schedule, outdated);
  const late = Date.now() - at;
  if (late < -CLOCKS_MS) throw refusal(schedule, 'its time is not that of a firing');
  if (at < Math.floor(Date.parse(created_at) / 1000) * 1000) return 'its time is not that of a firing';
  if (late > LATEST_MS[overlap]) return `it is ${Math.floor(late / HOUR_MS)} hours late`;
  return isScheduledTime(when, at) ? null : 'this is not one of its times, and no command has triggered it';
}

/**
 * Uses up an order of `schedule trigger` for this firing. Repeated for the same execution, it finds the same order.
 *
 * @throws ApplicationFailure (non-retryable) with the reason `without`, if there is none
 */
export async function claimOrder(
  deps: Deps,
  objects: ObjectStore,
  { stored: { schedule, overlap }, facts }: VerifiedFiring & { facts: ScheduleFacts },
  { execution, without }: { execution: string; without: string },
): Promise<void> {
  const key = await originKey(deps);
  for (const order of await objects.list(triggersFolder(schedule))) {
    if (order.endsWith(USED) || !isFresh(order, LATEST_MS[overlap])) continue;
    const name = `${triggersFolder(schedule)}/${order}`;
    const proof = (await objects.get(name))?.toString() ?? '';
    if (!verifyTriggerProof(key, facts, order, proof)) continue;
    if (await isClaimed(objects, `${name}${USED}`, execution)) return;
  }
  throw refusal(schedule, without);
}

/** Orders begin with the time at which they were given. */
const isFresh = (order: string, longestMs: number): boolean => Date.now() - Number(order.split('-')[0]) <= longestMs;

async function isClaimed(objects: ObjectStore, name: string, execution: string): Promise<boolean> {
  return (await objects.putOnce(name, execution)) || (await objects.get(name))?.toString() === execution;
}

/** The error for a firing that no command has caused. */
export const refusal = (schedule: string, why: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `a firing of the schedule ${schedule} is refused: ${why}; use llm-tool-test schedule create or trigger`,
    'NotOurs',
  );
