import { join } from 'node:path';
import { chooseEnvironment, type Place } from '../../environments/index.js';
import { parseJson } from '../../lib/json.js';
import { readTextIfThere } from '../../platform/read-file.js';
import { noteOnce, writeNote } from '../../platform/write-file.js';
import type { Scenario } from '../../scenario/schema.js';

/**
 * The place of a run. It is decided once, by the step that prepares the workspace, and kept: what the machine can do may
 * change while the run lasts, and a report is not to claim a sandbox that the agent did not have. A run that was prepared
 * by an older build has kept nothing, and is decided anew in every step.
 */
export async function settledPlace(
  root: string,
  wanted: Scenario['environment']['type'],
  decide: boolean,
): Promise<Place> {
  const file = join(root, 'place.json');
  const kept = await readPlace(file);
  if (kept !== null) return kept;
  const chosen = await chooseEnvironment(wanted);
  if (!decide) return chosen;
  noteOnce(file, JSON.stringify(chosen));
  const settled = await readPlace(file);
  // Left empty by a loss of power.
  if (settled === null) writeNote(file, JSON.stringify(chosen));
  return settled ?? chosen;
}

const readPlace = async (file: string): Promise<Place | null> =>
  (parseJson((await readTextIfThere(file)) ?? '') as Place | undefined) ?? null;
