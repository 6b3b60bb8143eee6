import { z } from 'zod';
import { isStorable, type Json } from '../../lib/json.js';

/**
 * A value that was read from JSON, kept as it is. `z.json()` would copy it, and leave out a key named `__proto__`, which
 * a script or an agent may well have said; it also runs out of stack on values that are nested deep.
 */
export const JsonValue = z.custom<Json>((value) => value !== undefined && isStorable(value as Json), {
  error: 'nested too deep',
});
