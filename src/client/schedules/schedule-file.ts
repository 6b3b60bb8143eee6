import { displayPath, proveSchedule } from '#host';
import { sha256, suggest, UsageError } from '#lib';
import { StoredSchedule } from '#scenario';
import { type EngineFolders, type ObjectStore, originKey, scheduleNames, scheduleText } from '#store';

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
  // The name is part of a path.
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
export const proofOfSchedule = async (folders: EngineFolders, schedule: string, text: string): Promise<string> =>
  proveSchedule(await originKey(folders), { schedule, hash: sha256(text) });
