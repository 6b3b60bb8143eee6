/** Returns a copy, as a database does: what callers change stays theirs. */
const copy = <T>(value: T): T => structuredClone(value);

export const answer = <T>(value: T): Promise<T> => Promise.resolve(copy(value));
export const nothing = (): Promise<void> => Promise.resolve();

/** A copy of what a database can keep. A character may contain templates that are functions, for example. */
export const storable = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
