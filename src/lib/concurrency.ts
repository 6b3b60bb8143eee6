import { setImmediate } from 'node:timers/promises';

/** Performs a work for each item, at most `limit` at a time. Returns the results in the order of the items. */
export async function inParallel<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const next = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, next));
  return results;
}

/** Returns a function that performs works one after the other. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work, work);
    last = done.catch(() => undefined);
    return done;
  };
}

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
