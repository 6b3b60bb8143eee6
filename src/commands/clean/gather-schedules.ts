import { isBaseline } from '../../results/schedules/decide-firing.js';
import type { ScheduleFact, SweepFact } from '../../results/plan-clean.js';
import { StoredSchedule } from '../../scenario/stored-schedule.js';
import { objectsOf } from '../../store/schedules/object-store.js';
import { newestFiring, scheduleNames, scheduleText } from '../../store/schedules/schedule-files.js';

/** Reads what schedules need: the snapshots of their plans, and the newest sweep that later ones are compared with. */
export async function gatherSchedules(
  results: string,
  sweeps: readonly SweepFact[],
): Promise<ScheduleFact[]> {
  const objects = await objectsOf(results);
  const known = new Set(sweeps.map(({ id }) => id));
  const facts: ScheduleFact[] = [];
  for (const schedule of await scheduleNames(objects)) {
    const newest = await newestFiring(
      objects,
      schedule,
      (firing) => isBaseline(firing) && known.has(firing.sweep ?? ''),
    );
    const hashes = snapshotsIn((await scheduleText(objects, schedule))?.text ?? '');
    facts.push({ broken: hashes === null, baseline: newest?.sweep ?? null, snapshots: hashes ?? [] });
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
