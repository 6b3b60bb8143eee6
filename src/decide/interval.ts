import { z } from 'zod';

/** An interval in which the true value lies with a confidence that is said beside it. */
export const Interval = z.object({
  low: z.number().describe('Lower end'),
  high: z.number().describe('Upper end'),
});
