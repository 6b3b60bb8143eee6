import { diskRemedy } from '../../lib/errors/disk-failure.js';
import { ROOM_BYTES, whyNoRoom } from '../../platform/fs/disk-room.js';
import { readEngineState } from '../../platform/engine/engine-state.js';

const LOOK_MS = 2000;

/**
 * Returns a function that says why the work is blocked, for reasons that the server does not know: a full disk, or an
 * engine that keeps failing. The function returns null if the work is not blocked, and looks at most every 2 s.
 */
export function waitingFor(resultsPath: string, stateFolder: string): () => Promise<string | null> {
  let lookedAt = 0;
  let last: { why: string; since: string } | null = null;
  return async () => {
    if (Date.now() - lookedAt >= LOOK_MS) {
      lookedAt = Date.now();
      const why = blockedDisk(resultsPath) ?? blockedDisk(stateFolder) ?? (await failingEngine(stateFolder));
      if (why === null) last = null;
      else last = { why, since: last?.since ?? new Date().toISOString().slice(0, 19) };
    }
    return last === null ? null : `waiting since ${last.since}Z: ${last.why}; work will continue by itself`;
  };
}

function blockedDisk(folder: string): string | null {
  const error = whyNoRoom(folder, ROOM_BYTES);
  const remedy = error === null ? null : diskRemedy(error, () => true);
  return remedy === null ? null : `${folder}: ${remedy}`;
}

const failingEngine = async (stateFolder: string): Promise<string | null> =>
  (await readEngineState(stateFolder).catch(() => null))?.failing?.message ?? null;
