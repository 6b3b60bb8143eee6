import { z } from 'zod';
import { Count } from './quantities.js';

/** The size of the first request of a session to its model, which is what is in the context before the first turn. */
export const FirstRequest = z.object({
  tokens: Count.nullable()

    .describe('Tokens that the model was sent, with those read from a cache or written to it; null: unknown'),
  unknown: z.string().exactOptional().describe('Why they are unknown'),
});
export type FirstRequest = z.infer<typeof FirstRequest>;

/** A first request of unknown size. */
export const unknownRequest = (why: string): FirstRequest => ({ tokens: null, unknown: why });
