import { stat } from 'node:fs/promises';
import type { ProcessIdentity } from '../process/process-identity.js';

/** Longer than any task blocks a worker's event loop. */
const STUCK_MS = 20_000;

/**
 * Returns a function that tells whether a process is stuck: whether its sign of life (a file that it rewrites) has not
 * changed for 20 s. Time is measured by a clock that stops while the machine sleeps, so that waking up does not look
 * like a standstill.
 */
export function createWatchdog(signOfLife: string): (worker: ProcessIdentity | null) => Promise<boolean> {
  let seen = '';
  let changedAt = performance.now();
  return async (worker) => {
    const { mtimeMs } = await stat(signOfLife).catch(() => ({ mtimeMs: 0 }));
    const now = `${worker?.pid ?? 0} ${worker?.start ?? ''} ${mtimeMs}`;
    if (now !== seen) {
      seen = now;
      changedAt = performance.now();
    }
    return performance.now() - changedAt > STUCK_MS;
  };
}
