import { readEngineState } from '#engine';
import { ROOM_BYTES, whyNoRoom } from '#host';
import { diskRemedy } from '#lib';
import { askingRuns, reasonText } from './open-runs.js';

const LOOK_MS = 2000;

/**
 * Returns a function that says why the work of a sweep is blocked, for reasons that the server does not know: a full disk,
 * an engine that keeps failing, or a provider that does not serve a judge. The function returns null if the work is not
 * blocked, and looks at most every 2 s.
 */
export function waitingFor(
  resultsPath: string,
  stateFolder: string,
  sweep: string,
): () => Promise<string | null> {
  let lookedAt = 0;
  let last: { why: string; since: string } | null = null;
  let asking: string | null = null;
  return async () => {
    if (Date.now() - lookedAt >= LOOK_MS) {
      lookedAt = Date.now();
      const why = blockedDisk(resultsPath) ?? blockedDisk(stateFolder) ?? (await failingEngine(stateFolder));
      if (why === null) last = null;
      else last = { why, since: last?.since ?? new Date().toISOString().slice(0, 19) };
      asking = reasonText(askingRuns(stateFolder, sweep));
    }
    return last === null ? asking : `waiting since ${last.since}Z: ${last.why}; work will continue by itself`;
  };
}

function blockedDisk(folder: string): string | null {
  const error = whyNoRoom(folder, ROOM_BYTES);
  const remedy = error === null ? null : diskRemedy(error, () => true);
  return remedy === null ? null : `${folder}: ${remedy}`;
}

const failingEngine = async (stateFolder: string): Promise<string | null> =>
  (await readEngineState(stateFolder).catch(() => null))?.failing?.message ?? null;
