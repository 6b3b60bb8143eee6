import { join } from 'node:path';
import { chooseEnvironment, type Place, type Wanted } from '../../environments/index.js';
import { parseJson } from '../../lib/json.js';
import { readTextIfThere } from '../../platform/fs/read-file.js';
import { writeOnce, writeNote } from '../../platform/fs/write-file.js';

/**
 * The place of a run. It is decided once, by the step that prepares the workspace, and kept: what the machine can do may
 * change while the run lasts, and a report is not to claim a sandbox that the agent did not have. A run that was prepared
 * by an older build has kept nothing, and is decided anew in every step.
 */
export async function settledEnvironment(state: string, wanted: Wanted, decide: boolean): Promise<Place> {
  const file = placeFile(state);
  const kept = await readPlace(file);
  if (kept !== null) return kept;
  const chosen = await chooseEnvironment(wanted);
  if (!decide) return chosen;
  writeOnce(file, JSON.stringify(chosen));
  const settled = await readPlace(file);
  // Left empty by a loss of power.
  if (settled === null) writeNote(file, JSON.stringify(chosen));
  return settled ?? chosen;
}

const placeFile = (state: string): string => join(state, 'place.json');

/** The place that a run has kept; null where it has not been prepared, or an older build did that. */
export const keptPlace = (state: string): Promise<Place | null> => readPlace(placeFile(state));

const readPlace = async (file: string): Promise<Place | null> =>
  (parseJson((await readTextIfThere(file)) ?? '') as Place | undefined) ?? null;
