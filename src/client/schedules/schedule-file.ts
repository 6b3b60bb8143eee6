import { UsageError } from '../../lib/errors/usage-error.js';
import { sha256 } from '../../lib/hash.js';
import { suggest } from '../../lib/suggest.js';
import { displayPath } from '../../platform/display-path.js';
import { proveSchedule } from '../../platform/origin.js';
import { StoredSchedule } from '../../scenario/stored-schedule.js';
import { originOf, type EngineFolders } from '../../store/origin.js';
import type { ObjectStore } from '../../store/schedules/object-store.js';
import { scheduleNames, scheduleText } from '../../store/schedules/schedule-files.js';

/** A schedule, and the hash of its file. */
export interface FoundSchedule {
  stored: StoredSchedule;
  hash: string;
}

/** Reads a schedule. @throws UsageError if there is none of this name, or its file is damaged */
export async function findSchedule(
  objects: ObjectStore,
  schedule: string,
  resultsPath: string,
): Promise<FoundSchedule> {
  // the name is part of a path
  const found = isScheduleName(schedule) ? await scheduleText(objects, schedule) : null;
  if (found === null) {
    const near = suggest(schedule, await scheduleNames(objects));
    throw new UsageError(
      'unknown_schedule',
      `no schedule '${schedule}' in ${displayPath(resultsPath)}${near === null ? '' : `; did you mean '${near}'?`}`,
    );
  }
  try {
    return { stored: StoredSchedule.parse(JSON.parse(found.text)), hash: found.hash };
  } catch (error) {
    throw new UsageError(
      'results_broken',
      `the file of the schedule '${schedule}' cannot be read: ${(error as Error).message}; create it again with --replace`,
    );
  }
}

/** The name is part of file names, of the ids of sweeps, and of ids on the Temporal server. */
export const isScheduleName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/.test(name);

export const textOfSchedule = (stored: StoredSchedule): string => `${JSON.stringify(stored, null, 2)}\n`;

/** Proves that a command created a schedule with these settings. */
export const proofOfSchedule = async (
  folders: EngineFolders,
  schedule: string,
  text: string,
): Promise<string> => proveSchedule((await originOf(folders)).key, { schedule, hash: sha256(text) });
