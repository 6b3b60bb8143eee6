import { z } from 'zod';
import { isStorable, type Json } from '#lib';

/**
 * A value read from JSON, unchanged. `z.json()` would copy it and drop a key named `__proto__`, which a script or an
 * agent may well print. It also overflows the stack on deeply nested values.
 */
export const JsonValue = z.custom<Json>((value) => value !== undefined && isStorable(value as Json), {
  error: 'nested too deeply',
});
