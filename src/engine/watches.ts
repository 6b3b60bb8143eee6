import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { lastUsedFile, scheduledHere, stayFile, type EngineState } from './engine-state.js';
import type { TemporalAddress } from './temporal/connection-options.js';

/** Returns the number of open workflows of an engine; null if unknown, which counts as busy. */
export async function openWorkflows(state: EngineState, signal: AbortSignal): Promise<number | null> {
  try {
    const query = `ExecutionStatus = "Running" AND TaskQueue = "${state.taskQueue}"`;
    const { withClient } = await import('./temporal/temporal-client.js');
    return await withClient(
      state,
      { timeoutMs: 5000, signal },
      async ({ workflow }) => (await workflow.count(query)).count,
    );
  } catch {
    return null;
  }
}

export const lastUse = async (folder: string): Promise<number> =>
  (await stat(lastUsedFile(folder)).catch(() => ({ mtimeMs: 0 }))).mtimeMs;

/**
 * True if an idle engine must keep running: by the keeper's option, by `engine start --stay` since, or for schedules.
 */
export const mustKeepRunning = (folder: string, idleMs: number | null): boolean =>
  idleMs === null || existsSync(stayFile(folder)) || scheduledHere(folder).length > 0;

/** Returns a function that tells whether the engine has been unused for `idleMs`. It rarely asks the server. */
export function createIdleWatch(
  folder: string,
  idleMs: number,
  signal: AbortSignal,
): (state: EngineState) => Promise<boolean> {
  let idleSince = Date.now();
  let nextCheck = Date.now();
  return async (state) => {
    if (Date.now() < nextCheck) return false;
    nextCheck = Date.now() + Math.min(idleMs / 4, 30_000);
    const used = await lastUse(folder);
    if ((await openWorkflows(state, signal)) !== 0) idleSince = Date.now();
    return Date.now() - Math.max(idleSince, used) > idleMs;
  };
}

const MAX_LOOK_MS = 5000;
const ANSWER_MS = 5000;

/**
 * Returns a function that tells whether a live server has not answered for `silentMs`. The watch only connects to it,
 * which works with every server that is not frozen, even with a full disk. Time is measured by a clock that stops while
 * the machine sleeps.
 */
export function createServerWatch(silentMs: number, signal: AbortSignal): (server: TemporalAddress) => boolean {
  const lookMs = Math.min(silentMs / 8, MAX_LOOK_MS);
  let answeredAt = performance.now();
  let lookedAt = performance.now();
  let asked = '';
  let asking = false;
  return (server) => {
    const now = performance.now();
    if (server.address !== asked) {
      asked = server.address;
      answeredAt = now;
    }
    if (!asking && now - lookedAt > lookMs) {
      lookedAt = now;
      asking = true;
      import('./temporal/temporal-client.js')
        .then(({ withClient }) => withClient(server, { timeoutMs: ANSWER_MS, signal }, () => Promise.resolve()))
        .then(
          () => (answeredAt = performance.now()),
          () => undefined, // noticed by the time that passes
        )
        .finally(() => (asking = false));
    }
    if (now - answeredAt <= silentMs) return false;
    answeredAt = now;
    return true;
  };
}
