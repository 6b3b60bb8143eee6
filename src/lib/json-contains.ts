import { canonicalJson } from './canonical-json.js';
import { isJsonObject, type Json } from './json.js';

/** Whether a value has what is wanted: of a map, the wanted keys at every depth; anything else must be equal. */
export function contains(given: Json | undefined, wanted: Json): boolean {
  if (given === undefined) return false;
  if (!isJsonObject(wanted)) return canonicalJson(given) === canonicalJson(wanted);
  return (
    isJsonObject(given) &&
    Object.entries(wanted).every(([key, value]) => contains(ownValue(given, key), value))
  );
}

/** The value of a key that the map itself has, so that `constructor` is not found in every map. */
export const ownValue = (map: { readonly [key: string]: Json }, key: string): Json | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;
