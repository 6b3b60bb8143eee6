/** Returns the value of a key, or makes and keeps it. */
type Recent<T> = (key: string, make: () => T | Promise<T>) => Promise<T>;

/** Creates a cache of the `limit` values that were used last. If making a value fails, nothing is kept. */
export function createLruCache<T>(limit: number): Recent<T> {
  const values = new Map<string, T>();
  return async (key, make) => {
    const value = values.has(key) ? (values.get(key) as T) : await make();
    // A map keeps the order of insertion, so the value that was used last is the last one.
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > limit && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
