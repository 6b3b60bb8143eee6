import { canonicalJson } from './canonical-json.js';
import { isJsonObject, type Json } from './json.js';
import { ownValue } from './own-value.js';

/** Whether a value has what is wanted: of a map, the wanted keys at every depth; anything else must be equal. */
export function contains(given: Json | undefined, wanted: Json): boolean {
  if (given === undefined) return false;
  if (!isJsonObject(wanted)) return canonicalJson(given) === canonicalJson(wanted);
  return (
    isJsonObject(given) &&
    Object.entries(wanted).every(([key, value]) => contains(ownValue(given, key), value))
  );
}
