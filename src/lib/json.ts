/** Any value that JSON can represent. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Returns the JSON value in `text`, or undefined if the text is not exactly one. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** More than any sensible value. Schemas walk values by recursion, and would overflow the stack on deeper ones. */
export const MAX_DEPTH = 500;

/**
 * True if a value is not nested more deeply than what we can store and read. Goes level by level, without recursion.
 */
export function isStorable(value: Json): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
  }
  return true;
}

/** True if all numbers of a value are finite: JSON cannot represent others, such as that of the text 1e999. */
export function isFiniteJson(value: Json): boolean {
  let level = [value];
  while (level.length > 0) {
    if (level.some((part) => typeof part === 'number' && !Number.isFinite(part))) return false;
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
  }
  return true;
}

export function isJsonObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
