import { beginningOf } from './format/truncate.js';

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

/**
 * Yields the pieces of `JSON.stringify(value, null, 2)`: the lists in a document are never one text, because they may
 * have thousands of items.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield JSON.stringify(value, null, 2);
    return;
  }
  let before = '{';
  for (const [name, field] of Object.entries(value)) {
    const isList = Array.isArray(field) && field.length > 0;
    const text = isList ? '[' : textAt(field, 2);
    if (text === undefined) continue;
    yield `${before}\n  ${JSON.stringify(name)}: ${text}`;
    before = ',';
    if (!isList) continue;
    for (const [at, item] of field.entries()) yield `${at === 0 ? '' : ','}\n    ${textAt(item, 4) ?? 'null'}`;
    yield '\n  ]';
  }
  yield before === '{' ? '{}' : '\n}';
}

/** The JSON of a value that is indented; undefined if it has none. Its texts contain no line breaks. */
const textAt = (value: unknown, indent: number): string | undefined =>
  (JSON.stringify(value, null, 2) as string | undefined)?.replaceAll('\n', `\n${' '.repeat(indent)}`);

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

/** Returns JSON with sorted keys, so that equal values give equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: Json) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

/** True if a value has what is wanted: of a map, the wanted keys at every depth; anything else must be equal. */
export function contains(given: Json | undefined, wanted: Json): boolean {
  if (given === undefined) return false;
  if (!isJsonObject(wanted)) return canonicalJson(given) === canonicalJson(wanted);
  return isJsonObject(given) && Object.entries(wanted).every(([key, value]) => contains(ownValue(given, key), value));
}

/**
 * Returns the value of a key that the map itself has, or undefined. Names that users, agents and models choose are
 * looked up this way, so that `constructor` is not found in every map.
 */
export const ownValue = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

/** True if a value is a map, as in YAML or JSON: an object, and no list. */
export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a copy of an object without some of its fields. */
export const omit = <T extends object, K extends keyof T>(value: T, ...keys: K[]): Omit<T, K> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !(keys as string[]).includes(key))) as Omit<T, K>;

/** Returns the fields of an object that have a value: neither undefined nor null. */
export const defined = <T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };

/** Returns a copy of JSON in which every string has at most `max` characters; shortened ones end with an ellipsis. */
export function shortenStrings<T>(value: T, max: number): T;
export function shortenStrings(value: unknown, max: number): unknown {
  if (typeof value === 'string') return beginningOf(value, max);
  if (Array.isArray(value)) return value.map((each) => shortenStrings<unknown>(each, max));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortenStrings<unknown>(each, max)]));
}
