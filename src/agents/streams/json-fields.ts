import { isJsonObject, isStorable, parseJson, type Json } from '../../lib/json.js';

/** Reading what other programs wrote: a field that is not what it should be counts as not there. */
export type Fields = Record<string, Json>;

/** The object that a line of a JSON stream holds; null where it is another thing, or too deep to be stored. */
export function fieldsOfLine(line: string): Fields | null {
  const value = parseJson(line);
  return isJsonObject(value) && isStorable(value) ? value : null;
}

export const fieldsOf = (value: Json | undefined): Fields => (isJsonObject(value) ? value : {});

export const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

export const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

/** A number from 0: tokens, dollars, statuses, seconds. */
export const numberOf = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** Such a number, if it is whole. */
export function countOf(value: Json | undefined): number | null {
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}
