import { isJsonObject, type Json } from './json.js';

/** Returns JSON with sorted keys, so that equal values give equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: Json) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
