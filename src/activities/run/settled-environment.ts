import { join } from 'node:path';
import { chooseEnvironment, type Place, sharesHost, type RequestedEnvironment } from '#environments';
import { publishOnce, readTextIfThere, writeNote, writeOnce } from '#host';
import { parseJson } from '#lib';

/**
 * Returns the place of a run. The prepare step (`decide`) chooses it once and stores it: what the machine can do may
 * change during the run, and a report must not claim a sandbox that the agent did not have. `folders`: those of the
 * project.
 */
export async function settledEnvironment(
  state: string,
  wanted: RequestedEnvironment,
  decide: boolean,
  folders: readonly (string | null)[] = [],
  /** Makes the image that `wanted` describes. */
  build?: () => Promise<{ image: string } | { lacking: string }>,
  /** Adds what a place that was chosen needs besides. */
  equip: (place: Place) => Promise<Place> = (place) => Promise.resolve(place),
): Promise<Place> {
  const file = placeFile(state);
  const kept = await readPlace(file);
  if (kept !== null) return kept;
  const built = decide && build !== undefined ? await build() : null;
  const found = await chooseEnvironment(
    wanted.type === 'docker' && built !== null && 'image' in built ? { ...wanted, image: built.image } : wanted,
    folders,
  );
  const without = built !== null && 'lacking' in built ? { ...found, lacking: built.lacking } : found;
  if (!decide) return without;
  const chosen = await equip(without);
  // After a power failure, only this file says which container or sandbox to remove.
  if (sharesHost(chosen)) writeOnce(file, JSON.stringify(chosen));
  else await publishOnce(file, JSON.stringify(chosen), 0o600);
  const settled = await readPlace(file);
  // The file was left empty by a power failure.
  if (settled === null) writeNote(file, JSON.stringify(chosen));
  return settled ?? chosen;
}

const placeFile = (state: string): string => join(state, 'place.json');

/** The stored place of a run; null if it has not been prepared. */
export const keptPlace = (state: string): Promise<Place | null> => readPlace(placeFile(state));

const readPlace = async (file: string): Promise<Place | null> =>
  (parseJson((await readTextIfThere(file)) ?? '') as Place | undefined) ?? null;
