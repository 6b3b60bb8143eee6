import {
  type CalendarSpec,
  DAYS_OF_WEEK,
  MONTHS,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleOverlapPolicy,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { ScheduleSummary, Overlap } from '#decide';
import { projectState } from '#host';
import { type CronTimes, parseCron } from '#lib';
import { type ScheduledInput, scheduleId, sweepTitle, WORKFLOWS } from '#protocol';
import type { StoredSchedule, When } from '#scenario';
import { latestFiring, type ObjectStore, readReference } from '#store';
import { callServer } from '../call-server.js';
import type { Session } from '../session.js';

export const POLICIES = {
  skip: 'SKIP',
  queue: 'BUFFER_ONE',
  cancel: 'CANCEL_OTHER',
  allow: 'ALLOW_ALL',
} as const satisfies Record<Overlap, ScheduleOverlapPolicy>;

type ServerSession = Pick<Session, 'client' | 'engine' | 'followServer' | 'limits'>;

const idOf = ({ engine }: ServerSession, schedule: string): string =>
  scheduleId(projectState(engine.resultsPath).id, schedule);

/** Calls the server for a schedule. Returns null if it has no such schedule. */
export const callSchedule = <T>(
  session: ServerSession,
  schedule: string,
  call: (handle: ScheduleHandle) => Promise<T>,
): Promise<T | null> =>
  callServer(session, async (client) => {
    try {
      return await call(client.schedule.getHandle(idOf(session, schedule)));
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return null;
      throw error;
    }
  });

export const describeSchedule = (session: ServerSession, schedule: string): Promise<ScheduleDescription | null> =>
  callSchedule(session, schedule, (handle) => handle.describe());

/** Creates a schedule on the Temporal server, or gives it these settings if it is there. It stays paused if it is. */
export async function putSchedule(session: ServerSession, stored: StoredSchedule, proof: string): Promise<void> {
  const id = idOf(session, stored.schedule);
  const { state, ...options } = optionsOf(session, id, stored, proof);
  const updated = await callSchedule(session, stored.schedule, async (handle) => {
    await handle.update((before) => ({ ...options, state: { ...state, paused: before.state.paused } }));
    return true;
  });
  if (updated !== null) return;
  await callServer(session, async (client) => {
    await client.schedule.create({ ...options, state, scheduleId: id }).catch((error: unknown) => {
      // An earlier attempt, whose answer was lost, has created it.
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    });
  });
}

function optionsOf(
  { engine }: ServerSession,
  id: string,
  stored: StoredSchedule,
  proof: string,
): ScheduleUpdateOptions {
  const { schedule } = stored;
  const input: ScheduledInput = { schedule, proof };
  return {
    spec: {
      ...specOf(stored.when),
      ...(stored.jitter_secs === 0 ? {} : { jitter: stored.jitter_secs * 1000 }),
    },
    policies: { overlap: POLICIES[stored.overlap], catchupWindow: stored.catch_up_secs * 1000 },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOWS.scheduled,
      workflowId: id,
      taskQueue: engine.taskQueue,
      args: [input],
      // After this time, a dead worker's workflow task is given to another worker.
      workflowTaskTimeout: '5 seconds',
      staticSummary: `${schedule}: ${sweepTitle(stored.plan)}`.slice(0, 200),
    },
    state: {},
  };
}

function specOf(when: When): ScheduleUpdateOptions['spec'] {
  if ('every_secs' in when) return { intervals: [{ every: when.every_secs * 1000 }] };
  const parsed = parseCron(when.cron);
  if (!parsed.ok) throw new Error(parsed.message);
  return { calendars: calendarsOf(parsed.times), timezone: when.timezone };
}

/** Temporal requires day of month and day of week to match. Where cron accepts either, there are two calendars. */
function calendarsOf(times: CronTimes): CalendarSpec[] {
  const common: CalendarSpec = {
    minute: [...times.minutes],
    hour: [...times.hours],
    month: times.months.map((month) => MONTHS[month - 1] ?? 'JANUARY'),
  };
  const daysOfMonth: CalendarSpec = { dayOfMonth: [...times.daysOfMonth] };
  const daysOfWeek: CalendarSpec = {
    dayOfWeek: times.daysOfWeek.map((day) => DAYS_OF_WEEK[day] ?? 'SUNDAY'),
  };
  return times.eitherDay
    ? [
        { ...common, ...daysOfMonth },
        { ...common, ...daysOfWeek },
      ]
    : [{ ...common, ...daysOfMonth, ...daysOfWeek }];
}

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
    schedule,
    when: whenText(stored.when),
    overlap,
    cells: plan.cells.length,
    created_at,
    status: statusOf(known),
    next: (info?.nextActionTimes ?? []).map((time) => time.toISOString()),
    running: session === null || known == null ? null : await countRunning(session, stored, known),
    queued: known == null ? null : Number(known.raw.info?.bufferSize ?? 0),
    skipped: info?.numActionsSkippedOverlap ?? null,
    missed: info?.numActionsMissedCatchupWindow ?? null,
    reference: reference === 'damaged' ? null : reference,
    latest: await latestFiring(objects, schedule),
  };
}

/** The server keeps no list of firings that may run side by side. */
async function countRunning(
  session: ServerSession,
  { schedule, overlap }: Pick<StoredSchedule, 'schedule' | 'overlap'>,
  { info }: ScheduleDescription,
): Promise<number> {
  if (overlap !== 'allow') return info.runningActions.length;
  const query = `TemporalScheduledById = "${idOf(session, schedule)}" AND ExecutionStatus = "Running"`;
  return (await callServer(session, (client) => client.workflow.count(query))).count;
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
