import { z } from 'zod';

/** One point of the matrix. `id` is stable and readable, its parts percent-encoded. */
export const Cell = z.object({
  id: z.string(),
  scenario: z.string(),
  agent: z.string(),
  model: z.string(),
  variant: z.string(),
  /** From 1. */
  repetition: z.number().int(),
});
export type Cell = z.infer<typeof Cell>;
