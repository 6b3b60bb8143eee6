import { randomBytes } from 'node:crypto';
import { firingId } from '#decide';
import { proveTrigger } from '#host';
import { UsageError } from '#lib';
import { isScheduledTime, type When } from '#scenario';
import { firingsFrom, type ObjectStore, originKey, triggersFolder } from '#store';
import { callServer } from '../call-server.js';
import type { Session } from '../session.js';
import type { FoundSchedule } from './schedule-file.js';
import { missingOnServer } from './trigger.js';
import { describeSchedule } from './temporal-schedule.js';

const MINUTE_MS = 60_000;
/** More sweeps are seldom meant, and cost much. */
const MAX_TIMES = 100;

/** The times at which a schedule fires, after `from` and until `to`, ms since the epoch. */
export function timesBetween(when: When, from: number, to: number): number[] {
  const step = 'every_secs' in when ? when.every_secs * 1000 : MINUTE_MS;
  const times: number[] = [];
  for (let at = (Math.floor(from / step) + 1) * step; at <= to; at += step)
    if (isScheduledTime(when, at)) times.push(at);
  return times;
}

/**
 * Makes up for times of a schedule that had no firing: runs a sweep for each of them, one after another. Returns the
 * times.
 *
 * @throws UsageError if there are none, or too many
 */
export async function backfill(
  session: Session,
  objects: ObjectStore,
  { stored, hash }: FoundSchedule,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const { schedule } = stored;
  const fired = new Set((await firingsFrom(objects, schedule, firingId(from))).map(({ firing }) => firing));
  const times = timesBetween(stored.when, from, to).filter((at) => !fired.has(firingId(at)));
  if (times.length === 0)
    throw new UsageError('bad_schedule', `${schedule} has no time in this range that had no firing`);
  if (times.length > MAX_TIMES)
    throw new UsageError(
      'bad_schedule',
      `${times.length} times of ${schedule} had no firing, and at most ${MAX_TIMES} are run at once; choose a shorter range`,
    );
  const before = await describeSchedule(session, schedule);
  if (before === null) throw missingOnServer(schedule);
  const key = await originKey({ resultsPath: session.engine.resultsPath, stateFolder: session.stateFolder });
  for (const at of times) {
    const order = `${Date.now()}-${randomBytes(6).toString('hex')}`;
    await objects.put(`${triggersFolder(schedule)}/${order}`, proveTrigger(key, { schedule, hash }, order));
    // The server leaves out the start of a range. Not repeated: a call may have fired although its answer is lost.
    const range = { start: new Date(at - 1000), end: new Date(at), overlap: 'BUFFER_ALL' } as const;
    await callServer(session, (client) => client.schedule.getHandle(before.scheduleId).backfill(range), { awayMs: 0 });
  }
  return times;
}
