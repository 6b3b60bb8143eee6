/** Returns a function that makes the value of a key, or returns it if it is among the last `limit` that were made. */
export function remember<T>(limit: number): (key: string, make: () => T) => T {
  const values = new Map<string, T>();
  return (key, make) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = make();
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > limit && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
