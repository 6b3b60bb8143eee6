import { z } from 'zod';
import { isStorable, type Json } from '#lib';

/**
 * A number of tokens, or of other things that programs of others count. One schema for what agents report, for records
 * and for reports, so that whatever is accepted can be stored, read again and added up. Anything else is unknown, which
 * is null. `isCount` (src/lib/quantities.ts) says the same.
 */
export const Count = z.int().min(0);

/** US dollars, likewise. A negative amount would pay for the runs of others. */
export const Usd = z.number().min(0).max(Number.MAX_SAFE_INTEGER);

/**
 * A value read from JSON, unchanged. `z.json()` would copy it and drop a key named `__proto__`, which a script or an
 * agent may well print. It also overflows the stack on deeply nested values.
 */
export const JsonValue = z.custom<Json>((value) => value !== undefined && isStorable(value as Json), {
  error: 'nested too deeply',
});
