import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { withClient } from '../temporal/temporal-client.js';
import { lastUsedFile, stayFile, type EngineState } from './engine-state.js';

/** Number of open workflows of an engine; null where it cannot be found out, which is not idle. */
export async function openWorkflows(state: EngineState, signal: AbortSignal): Promise<number | null> {
  try {
    const query = `ExecutionStatus = "Running" AND TaskQueue = "${state.taskQueue}"`;
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

/** Whether the engine was asked to stay, by a keeper's option or by `engine start --stay` since. */
export const isToStay = (folder: string, idleMs: number | null): boolean =>
  idleMs === null || existsSync(stayFile(folder));

/** Says whether nothing has used an engine for so long. It asks the server now and then only. */
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
