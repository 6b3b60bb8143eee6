import type { ScheduleFact } from '../../results/plan-clean.js';
import { StoredSchedule } from '../../scenario/stored-schedule.js';
import { objectsOf } from '../../store/schedules/object-store.js';
import { readReference, scheduleNames, scheduleText } from '../../store/schedules/schedule-files.js';

/** Reads what schedules need: the snapshots of their plans, and the sweep that later ones are compared with. */
export async function gatherSchedules(results: string): Promise<ScheduleFact[]> {
  const objects = await objectsOf(results);
  const facts: ScheduleFact[] = [];
  for (const schedule of await scheduleNames(objects)) {
    const reference = await readReference(objects, schedule);
    const hashes = snapshotsIn((await scheduleText(objects, schedule))?.text ?? '');
    facts.push({
      broken: hashes === null,
      baseline: reference === null || reference === 'damaged' ? null : reference.sweep,
      snapshots: hashes ?? [],
    });
  }
  return facts;
}

/** Returns null if the text is not that of a schedule. */
function snapshotsIn(text: string): string[] | null {
  try {
    return StoredSchedule.parse(JSON.parse(text)).plan.scenarios.map(({ hash }) => hash);
  } catch {
    return null;
  }
}
