import { stat } from 'node:fs/promises';
import type { ProcessIdentity } from '../process/process-identity.js';

/**
 * Returns a function that tells whether a process is stuck: whether its sign of life (a file that it rewrites) has not
 * changed for `silentMs`, which is longer than any task blocks an event loop. Time is measured by a clock that stops while the machine sleeps, so that waking up does not look
 * like a standstill.
 */
export function createWatchdog(
  signOfLife: string,
  silentMs: number,
): (worker: ProcessIdentity | null) => Promise<boolean> {
  let seen = '';
  let changedAt = performance.now();
  return async (worker) => {
    const { mtimeMs } = await stat(signOfLife).catch(() => ({ mtimeMs: 0 }));
    const now = `${worker?.pid ?? 0} ${worker?.start ?? ''} ${mtimeMs}`;
    if (now !== seen) {
      seen = now;
      changedAt = performance.now();
    }
    return performance.now() - changedAt > silentMs;
  };
}
