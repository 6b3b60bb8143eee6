import { setTimeout as sleep } from 'node:timers/promises';

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
