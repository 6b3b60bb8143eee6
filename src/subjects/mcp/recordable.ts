import { beginningOf, isStorable, type Json, shortenStrings } from '#lib';

/** In characters of JSON. What a tool answers may be larger than a record can be; only its beginning is recorded then. */
const RESULT_LIMIT = 1024 * 1024;
const TEXT_LIMIT = 64 * 1024;
const DEEP = '(nested too deeply to be recorded) …';

/** Shortens a value to what can be stored. What was shortened ends with an ellipsis. */
export function recordable(value: Json, limit = RESULT_LIMIT): Json {
  if (!isStorable(value)) return DEEP;
  const text = JSON.stringify(value);
  if (text.length <= limit) return value;
  const shorter = shortenStrings(value, TEXT_LIMIT);
  return JSON.stringify(shorter).length <= limit ? shorter : beginningOf(text, limit);
}
