import { z } from 'zod';
import { Interval } from '../interval.js';

const Value = z.object({
  value: z.number().nullable().describe('Null: unknown'),
  runs: z.number().int().describe('Number of runs measured'),
});

export const MEASURES = [
  'cost_usd',
  'cost_per_pass_usd',
  'duration_secs',
  'tokens',
  'tool_calls',
  'commands',
  'first_try_success_rate',
  'judge_score',
  'human_score',
  'composite_score',
] as const;

/** How much a measure has changed, over configurations that have it on both sides. */
const Effect = z.object({
  kind: z
    .enum(['ratio', 'difference'])
    .describe('`ratio`: head / base, of geometric means; `difference`: head - base, of means'),
  value: z.number().describe('Mean over configurations'),
  interval: Interval.nullable().describe('At the confidence 1 - alpha; null: runs are too few or all alike'),
  p: z.number().nullable().describe("Two-sided, Welch's t test; not corrected for the number of measures"),
});
export type Effect = z.infer<typeof Effect>;

/** One number measured in all tested runs, before and after. */
export const Measure = z.object({
  name: z.enum(MEASURES).describe('What is measured'),
  of: z
    .enum(['mean', 'median', 'per pass'])
    .describe('How it is averaged; per pass: the sum of all tested runs / passed runs'),
  base: Value.describe('Before'),
  head: Value.describe('After'),
  effect: Effect.nullable().describe('Null: not known on both sides, or not tested'),
});
export type Measure = z.infer<typeof Measure>;
