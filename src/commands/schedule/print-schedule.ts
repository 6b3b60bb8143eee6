import { summarizeSchedule } from '../../client/schedules/summarize.js';
import type { Session } from '../../client/session.js';
import { renderSchedules } from '../../reports/schedules-text.js';
import type { StoredSchedule } from '../../scenario/stored-schedule.js';
import type { ObjectStore } from '../../store/schedules/object-store.js';
import { printJson, textOptions } from '../shared/output.js';

/** Prints one schedule. */
export async function printSchedule(
  session: Session | null,
  objects: ObjectStore,
  stored: StoredSchedule,
  json: boolean,
): Promise<void> {
  const summary = await summarizeSchedule(session, objects, stored);
  if (json) printJson(summary);
  else process.stdout.write(renderSchedules([summary], Date.now(), textOptions()));
}
