import { isJsonObject, isStorable, parseJson, type Json } from '../../lib/json.js';

/** An object that another program wrote. The functions below treat fields of the wrong type as missing. */
export type Fields = Record<string, Json>;

/** Returns the object in a line of a JSON stream. Null if it is not an object, or nested too deeply to be stored. */
export function fieldsOfLine(line: string): Fields | null {
  const value = parseJson(line);
  return isJsonObject(value) && isStorable(value) ? value : null;
}

export const fieldsOf = (value: Json | undefined): Fields => (isJsonObject(value) ? value : {});

export const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

export const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

/** A number of at least 0 (tokens, dollars, statuses, seconds), or null. */
export const numberOf = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** A whole number of at least 0, or null. */
export function countOf(value: Json | undefined): number | null {
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}
