/** Gives what is kept under a key, or makes it and keeps it. */
type Recent<T> = (key: string, make: () => T | Promise<T>) => Promise<T>;

/** Keeps the `limit` values that were used last. One that could not be made is not kept. */
export function createLruCache<T>(limit: number): Recent<T> {
  const values = new Map<string, T>();
  return async (key, make) => {
    const value = values.has(key) ? (values.get(key) as T) : await make();
    // A map keeps the order of insertion: what was used last stands last.
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > limit && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
