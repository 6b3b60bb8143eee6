import { z } from 'zod';

/**
 * A number of tokens, or of other things that programs of others count. One schema for what agents report, for records and for
 * reports, so that whatever is accepted can be stored, read again and added up. Anything else is unknown, which is null.
 * `isCount` (src/lib/quantities.ts) says the same.
 */
export const Count = z.int().min(0);

/** US dollars, likewise. A negative amount would pay for the runs of others. */
export const Usd = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
