import { z } from 'zod';
import { Interval } from '../interval.js';

const Value = z.object({
  value: z.number().nullable().describe('Null: unknown'),
  runs: z.int().describe('Number of runs measured'),
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
  'reward',
  'composite_score',
] as const;

/** The change of a measure, over configurations that have it on both sides. */
const Effect = z.object({
  kind: z.enum(['ratio', 'difference']).describe('`ratio`: head / base; `difference`: head - base'),
  value: z.number().describe('Of the two means'),
  interval: Interval.nullable().describe('At the confidence 1 - alpha; null: too few runs to show any change'),
  p: z
    .number()
    .nullable()
    .describe('Two-sided, permutation test; not corrected for the number of measures; null: too few runs'),
});
export type Effect = z.infer<typeof Effect>;

/** One number measured in all tested runs, before and after. */
export const Measure = z.object({
  name: z.enum(MEASURES).describe('What is measured'),
  of: z
    .enum(['mean', 'per pass'])
    .describe(
      'mean: of the means of the configurations that have it on both sides; per pass: mean cost / mean pass rate',
    ),
  base: Value.describe('Before'),
  head: Value.describe('After'),
  effect: Effect.nullable().describe('Null: not known on both sides, or not tested'),
});
export type Measure = z.infer<typeof Measure>;
