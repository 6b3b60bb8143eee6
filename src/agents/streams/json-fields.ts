import { isCount, isJsonObject, isStorable, type Json, parseJson } from '#lib';

/** An object that another program wrote. The functions below treat fields of the wrong type as missing. */
export type Fields = Record<string, Json>;

/** Returns the object in a line of a JSON stream. Null if it is not an object, or nested too deeply to be stored. */
export function fieldsOfLine(line: string): Fields | null {
  const value = parseJson(line);
  return isJsonObject(value) && isStorable(value) ? value : null;
}

export const fieldsOf = (value: Json | undefined): Fields => (isJsonObject(value) ? value : {});

export const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

export const stringOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

/**
 * A whole number of at least 0 (a status, seconds), or null. Numbers of usage are read by `Numbers`, which reports the
 * wrong ones.
 */
export const wholeNumberOf = (value: Json | undefined): number | null => (isCount(value) ? value : null);
