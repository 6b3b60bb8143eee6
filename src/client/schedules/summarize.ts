import type { ScheduleDescription } from '@temporalio/client';
import type { ScheduleSummary } from '#decide';
import type { StoredSchedule, When } from '#scenario';
import { latestFiring, type ObjectStore, readReference } from '#store';
import type { Session } from '../session.js';
import { describeSchedule } from './temporal-schedule.js';

/** Combines the file of a schedule with what the Temporal server knows of it; without a session, with nothing. */
export async function summarizeSchedule(
  session: Session | null,
  objects: ObjectStore,
  stored: StoredSchedule,
): Promise<ScheduleSummary> {
  const { schedule, overlap, plan, created_at } = stored;
  const known = session === null ? undefined : await describeSchedule(session, schedule);
  const { info } = known ?? {};
  const reference = await readReference(objects, schedule);
  return {
    ...{ schedule, when: whenText(stored.when), overlap, cells: plan.cells.length, created_at },
    status: statusOf(known),
    next: (info?.nextActionTimes ?? []).map((time) => time.toISOString()),
    running: info?.runningActions.length ?? null,
    skipped: info?.numActionsSkippedOverlap ?? null,
    missed: info?.numActionsMissedCatchupWindow ?? null,
    reference: reference === 'damaged' ? null : reference,
    latest: await latestFiring(objects, schedule),
  };
}

function statusOf(known: ScheduleDescription | null | undefined): ScheduleSummary['status'] {
  if (known === undefined) return 'unknown';
  if (known === null) return 'missing';
  return known.state.paused ? 'paused' : 'active';
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** Says when a schedule fires: `0 3 * * * Europe/Berlin`, `every 6h`. */
function whenText(when: When): string {
  if (!('every_secs' in when)) return `${when.cron} ${when.timezone}`;
  const [unit, secs] = UNITS.find(([, length]) => when.every_secs % length === 0) ?? ['s', 1];
  return `every ${when.every_secs / secs}${unit}`;
}
