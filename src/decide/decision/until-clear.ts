import { z } from 'zod';

/** The end of a cell of a finished base. */
const BaseRun = z.strictObject({
  /** Null: it neither passed nor failed. */
  outcome: z.enum(['pass', 'fail']).nullable(),
  /** True if it passed or failed only after an error, so that its first run could have shown something else. */
  after_errors: z.boolean(),
  /** Absent: it has none. */
  reward: z.number().exactOptional(),
});
export type BaseRun = z.infer<typeof BaseRun>;

/** The contribution of a finished base: the runs of a configuration, in the order of repetitions. */
const BaseOutcomes = z.strictObject({
  scenario: z.string(),
  agent: z.string(),
  model: z.string(),
  variant: z.string(),
  runs: z.array(BaseRun),
});

/** The share of the alpha of a question that may have been spent before a sweep asked it again. */
export const SpentBefore = z.strictObject({
  of_alpha: z.number().describe('What a first start has'),
  spent: z.number().describe('What earlier starts and comparisons may have spent; all together at most 1.1 times that'),
  by: z.array(z.string()).describe('These sweeps'),
});
export type SpentBefore = z.infer<typeof SpentBefore>;

/**
 * The part of a plan that makes its sweep stop as soon as the verdict is clear. The outcomes of a finished base are
 * copied, so that retrying or cleaning that sweep changes nothing.
 */
export const UntilClear = z.strictObject({
  base: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('variant'), variant: z.string() }),
    z.strictObject({ kind: z.literal('sweep'), sweep: z.string(), outcomes: z.array(BaseOutcomes) }),
  ]),
  /** The number that is compared: the mean reward; absent: the pass rate. */
  measure: z.literal('reward').exactOptional(),
  /** The margin by which head may be worse, from 0 to 1; null if that is not asked. */
  margin: z.number().nullable(),
  /**
   * The smallest difference worth finding, from 0 to 1: the sweep is given up when it is unlikely to be found; absent:
   * never.
   */
  effect: z.number().exactOptional(),
  /** The probability of a false better or worse, over all looks. */
  alpha: z.number(),
  /** Set if others have asked the same before, and left less than all of alpha. */
  spent_before: SpentBefore.exactOptional(),
  /** The most runs of a configuration on each side. */
  most_runs: z.number().int(),
  /** The number of pairs of runs in a round. */
  round_size: z.number().int(),
});
export type UntilClear = z.infer<typeof UntilClear>;

/** The most runs of a configuration on each side, if the user does not say. */
export const MAX_RUNS = 20;
