import { isJsonObject, type Json } from '../../lib/json.js';
import { jsonEqual } from './json-equal.js';

/** Whether a value has what is wanted: of a map, the wanted keys at every depth; anything else must be equal. */
export function jsonContains(given: Json | undefined, wanted: Json): boolean {
  if (!isJsonObject(wanted)) return jsonEqual(given, wanted);
  return (
    isJsonObject(given) &&
    Object.entries(wanted).every(
      ([key, value]) => Object.hasOwn(given, key) && jsonContains(given[key], value),
    )
  );
}
