import { AsyncLocalStorage } from 'node:async_hooks';

/** The memory of a command or a worker: facts that it need not find out again. It is gone when its owner is. */
export interface Memory {
  /** Performs what the owner does. Everything that this calls, and that comes of it later, remembers here. */
  during<T>(work: () => T): T;
}

const ofOwner = new AsyncLocalStorage<Map<object, unknown>>();

export function createMemory(): Memory {
  const values = new Map<object, unknown>();
  return { during: (work) => ofOwner.run(values, work) };
}

/**
 * Returns a function that gives a value of the owner that calls it, such as a cache: `make` is called for each owner
 * once. Without an owner nothing is remembered: it is made each time. So nothing may depend on a value being there.
 */
export function remembered<T>(make: () => T): () => T {
  const key = {};
  return () => {
    const values = ofOwner.getStore();
    if (values?.has(key) === true) return values.get(key) as T;
    const value = make();
    values?.set(key, value);
    return value;
  };
}
