/** Whether a value is a map, as in YAML or JSON: an object, and no list. */
export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
