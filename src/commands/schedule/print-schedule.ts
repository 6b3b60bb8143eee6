import { type Session, summarizeSchedule } from '#client';
import { renderSchedules } from '#reports';
import type { StoredSchedule } from '#scenario';
import type { ObjectStore } from '#store';
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
