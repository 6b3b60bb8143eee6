import { setImmediate } from 'node:timers/promises';

const HOLD_MS = 50;

/** For long loops without I/O: awaited in each iteration, the returned function lets other work run every 50 ms. */
export function createYielder(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < HOLD_MS) return;
    await setImmediate();
    last = performance.now();
  };
}
