import { z } from 'zod';

/** A host that a run was on, and that showed no sign of life for too long, so that the run was done again. */
export const LostHost = z.object({
  id: z.string(),
  name: z.string(),
  /** When it was given up, ms since the epoch. */
  at: z.number(),
});
export type LostHost = z.infer<typeof LostHost>;
