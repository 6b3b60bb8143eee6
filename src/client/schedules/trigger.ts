import { randomBytes } from 'node:crypto';
import type { Firing } from '#decide';
import { ownCommand, proveTrigger, waitUntil } from '#host';
import { InfrastructureError, UsageError } from '#lib';
import type { ScheduledResult } from '#protocol';
import { type ObjectStore, originKey, readFiring, triggersFolder } from '#store';
import { callServer, LONG_CALL } from '../call-server.js';
import type { Session } from '../session.js';
import type { FoundSchedule } from './schedule-file.js';
import { describeSchedule, POLICIES } from './temporal-schedule.js';

/** A firing that begins: the ids of its workflow. */
export interface Fired {
  workflowId: string;
  runId: string;
}

const BEGIN_MS = 30_000;
const POLL_MS = 200;

/**
 * Fires a schedule now. Returns null if the firing is queued behind another one.
 *
 * @throws UsageError if it would be skipped
 */
export async function trigger(
  session: Session,
  objects: ObjectStore,
  { stored, hash }: FoundSchedule,
): Promise<Fired | null> {
  const { schedule, overlap } = stored;
  const before = await describeSchedule(session, schedule);
  if (before === null) throw missingOnServer(schedule);
  const isRunning = before.info.runningActions.length > 0;
  if (isRunning && overlap === 'skip')
    throw new UsageError(
      'schedule_running',
      `a sweep of ${schedule} is running, and the schedule does not allow another one at the same time; wait for it, or end it with \`cancel\` (see ${ownCommand('schedule list')})`,
    );
  const order = `${Date.now()}-${randomBytes(6).toString('hex')}`;
  const key = await originKey({
    resultsPath: session.engine.resultsPath,
    stateFolder: session.stateFolder,
  });
  const name = `${triggersFolder(schedule)}/${order}`;
  await objects.put(name, proveTrigger(key, { schedule, hash }, order));
  const known = new Set(before.info.recentActions.map(({ action }) => action.workflow.firstExecutionRunId));
  const call = (client: Session['client']) => client.schedule.getHandle(before.scheduleId).trigger(POLICIES[overlap]);
  // Not repeated: a call whose answer was lost may have fired the schedule.
  await callServer(session, call, { awayMs: 0 });
  const fired = await waitUntil(
    async () => {
      const now = await describeSchedule(session, schedule);
      const action = now?.info.recentActions.find(
        ({ action: { workflow } }) => !known.has(workflow.firstExecutionRunId),
      )?.action.workflow;
      return action === undefined ? null : { workflowId: action.workflowId, runId: action.firstExecutionRunId };
    },
    isRunning && overlap === 'queue' ? 0 : BEGIN_MS,
    POLL_MS,
  );
  if (fired !== null || overlap === 'queue') return fired;
  // No later firing may use the order.
  await objects.remove(name);
  throw new InfrastructureError(`${schedule} did not fire within ${BEGIN_MS / 1000} s; try again`);
}

/** The error for a schedule that has a file, but is missing on the Temporal server. */
export const missingOnServer = (schedule: string): InfrastructureError =>
  new InfrastructureError(
    `the Temporal server has no schedule '${schedule}': its database was lost or replaced; recreate it with ${ownCommand(`schedule resume ${schedule}`)}`,
  );

/** Waits until a firing is reported. Returns its record. @throws InfrastructureError if the server is lost */
export async function recordOfFiring(
  session: Session,
  objects: ObjectStore,
  schedule: string,
  { workflowId, runId }: Fired,
): Promise<Firing> {
  const result = (client: Session['client']) =>
    client.workflow.getHandle(workflowId, runId).result() as Promise<ScheduledResult>;
  const { firing } = await callServer(session, result, LONG_CALL);
  for (;;) {
    const record = await waitUntil(
      async () => {
        const read = await readFiring(objects, schedule, firing);
        return read?.exit_code == null ? null : read;
      },
      BEGIN_MS,
      POLL_MS,
    );
    if (record !== null) return record;
    session.report('waiting for the report ...');
  }
}

/** Waits until a firing has planned its sweep. Returns its id; null if it ended without one. */
export async function sweepOfFiring(session: Session, { workflowId, runId }: Fired): Promise<string | null> {
  for (;;) {
    const sweep = await waitUntil(
      async () => {
        const { memo, status } = await callServer(session, (client) =>
          client.workflow.getHandle(workflowId, runId).describe(),
        );
        const planned = memo?.['sweep'];
        if (typeof planned === 'string') return { planned };
        return status.name === 'RUNNING' ? null : { planned: null };
      },
      BEGIN_MS,
      POLL_MS,
    );
    if (sweep !== null) return sweep.planned;
    session.report('waiting for a worker ...');
  }
}
