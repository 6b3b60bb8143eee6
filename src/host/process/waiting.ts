import { setTimeout as sleep } from 'node:timers/promises';

/** Functions to call once a second, for all agents that this worker follows. */
const looks = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `look` once a second until the returned function is called. All callers share one timer: with a timer for each,
 * a worker would wake up for every agent at a different moment. `look` must not throw.
 */
export function everySecond(look: () => void): () => void {
  looks.add(look);
  timer ??= setInterval(() => {
    for (const each of [...looks]) each();
  }, 1000);
  return () => {
    looks.delete(look);
    if (looks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Polls `check` until it returns something other than null. Returns null after `timeoutMs`. */
export async function waitUntil<T>(
  check: () => Promise<T | null> | T | null,
  timeoutMs: number,
  intervalMs = 50,
): Promise<T | null> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== null) return found;
    if (Date.now() >= end) return null;
    await sleep(intervalMs);
  }
}
