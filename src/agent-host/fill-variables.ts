import { interpolate, type Json } from '#lib';

/** Replaces `${NAME}` in all texts of a value. A name without a value is left as it is. */
export function fillVariables(value: Json, values: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') {
    const filled = interpolate(value, values);
    return filled.ok ? filled.text : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fillVariables(item, values));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillVariables(item, values)]));
}
