import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TEMPORARY, writeNote } from '#host';
import { isJsonObject, parseJson, sha256 } from '#lib';

/** The room of this host: how many runs it works on at once. */
export interface Slots {
  total: number;
  /** The number of further runs that the host can take. */
  free: () => number;
  /** Takes a slot for a run, by the id of its workflow. Returns false if none is free. A run that has one keeps it. */
  take: (workflowId: string) => boolean;
  /**
   * The same for a run that is on this host and gave its slot up: it comes before new runs. Asked again until it has
   * one.
   */
  takeAgain: (workflowId: string) => boolean;
  release: (workflowId: string) => void;
  /** The workflows of the runs that have a slot, and since when, ms since the epoch. */
  taken: () => ReadonlyMap<string, number>;
  /** Takes no more new runs from now on, or does so again. */
  close: (closed: boolean) => void;
  /** Resolves when `hasRoom` returns true. Rejects when the signal aborts. */
  whenFree: (signal: AbortSignal, hasRoom: () => boolean) => Promise<void>;
  /** Makes those who wait look again. */
  changed: () => void;
}

/** A run that asks for its slot does so every few seconds. One that no longer asks is not waited for. */
const ASKS_MS = 15_000;

/**
 * Creates the slots of a host. Taken slots are files in its private folder, so that the next worker knows them.
 */
export function createSlots(stateFolder: string, total: number): Slots {
  const folder = join(stateFolder, 'slots');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (workflowId: string): string => join(folder, sha256(workflowId).slice(0, 16));
  const taken = new Map(readTaken(folder));
  /** Runs that want their slot back, and when they last asked, in ms of the process. */
  const asking = new Map<string, number>();
  const waiters = new Set<() => void>();
  let isClosed = false;

  const living = (): number => {
    for (const [workflowId, at] of asking) if (performance.now() - at > ASKS_MS) asking.delete(workflowId);
    return asking.size;
  };
  const free = (): number => (isClosed ? 0 : Math.max(0, total - taken.size - living()));
  const wakeWaiters = (): void => {
    for (const wake of waiters) wake();
  };
  const note = (workflowId: string): true => {
    const since = Date.now();
    writeNote(fileOf(workflowId), JSON.stringify({ workflowId, since }));
    taken.set(workflowId, since);
    asking.delete(workflowId);
    return true;
  };

  return {
    total,
    free,
    take: (workflowId) => taken.has(workflowId) || (free() > 0 && note(workflowId)),
    takeAgain: (workflowId) => {
      if (taken.has(workflowId)) return true;
      if (taken.size < total) return note(workflowId);
      asking.set(workflowId, performance.now());
      return false;
    },
    release: (workflowId) => {
      asking.delete(workflowId);
      rmSync(fileOf(workflowId), { force: true });
      if (taken.delete(workflowId)) wakeWaiters();
    },
    taken: () => taken,
    close: (closed) => {
      isClosed = closed;
      wakeWaiters();
    },
    whenFree: async (signal, hasRoom) => {
      while (!hasRoom()) await nextChange(waiters, signal);
    },
    changed: wakeWaiters,
  };
}

/** Resolves at the next change, or after ASKS_MS, since a run that asked may have stopped asking. */
function nextChange(waiters: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      waiters.delete(end);
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      // The SDK expects its own reason.
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ASKS_MS);
    waiters.add(end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

function readTaken(folder: string): [string, number][] {
  return readdirSync(folder)
    .filter((name) => !TEMPORARY.test(name))
    .flatMap((name) => {
      const note = parseJson(readFileSync(join(folder, name), 'utf8'));
      if (isJsonObject(note) && typeof note['workflowId'] === 'string' && typeof note['since'] === 'number')
        return [[note['workflowId'], note['since']] as [string, number]];
      rmSync(join(folder, name), { force: true }); // cut off by a power failure
      return [];
    });
}
