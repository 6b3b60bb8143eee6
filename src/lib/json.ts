/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The one JSON value that `text` holds, or undefined when it is not exactly one. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Deeper than anyone means it. Schemas walk values by recursion, and would run out of stack on deeper ones. */
export const MAX_DEPTH = 500;

/** Whether a value is nested no deeper than what we store and read again. Goes level by level, without recursion. */
export function isStorable(value: Json): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
  }
  return true;
}

export function isJsonObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
