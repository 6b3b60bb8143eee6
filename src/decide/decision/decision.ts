import { z } from 'zod';
import { JudgeDrift } from '../calibration/document.js';
import { Interval } from '../interval.js';
import { SpentBefore } from './until-clear.js';

const Counted = z.strictObject({
  passed: z.number().int().describe('Runs that passed'),
  tested: z.number().int().describe('Runs that passed or failed'),
  reward: z.number().exactOptional().describe('Their mean reward; absent: rewards are not compared'),
});

const DecisionVerdict = z.enum(['better', 'worse', 'not worse', 'equivalent', 'undecided', 'not tested']);

/** The reason why a sweep starts no more runs. */
export const StopReason = z.enum(['clear', 'futile', 'most runs', 'budget', 'errors', 'cancelled']);

/** The decision of a sweep of `run --until-clear`, or its findings so far. */
export const Decision = z.strictObject({
  base: z
    .strictObject({
      variant: z.string().nullable().describe('The variant that is the base; null if it is a sweep'),
      sweep: z.string().nullable().describe('The finished sweep that is the base; null if it is a variant'),
    })
    .describe('What head is compared with'),
  head_variant: z.string().nullable().describe('The variant that is compared with it; null: all of the sweep'),
  verdict: DecisionVerdict.describe('`undecided` as long as `stopped` is null'),
  stopped: StopReason.nullable().describe('Why no more runs are started; null: it goes on'),
  measure: z.literal('reward').exactOptional().describe('The mean reward is compared; absent: the pass rate'),
  margin: z.number().nullable().describe('How much worse is still acceptable, from 0 to 1; null: not asked'),
  effect: z
    .strictObject({
      difference: z.number().describe('The smallest difference worth finding, from 0 to 1'),
      power: z.number().describe('Probability that the runs left show it; the sweep stops when it is below 0.2'),
    })
    .exactOptional()
    .describe('Absent: `--effect` was not given'),
  alpha: z.number().describe('Probability of a false better or worse, over all looks'),
  spent_before: SpentBefore.exactOptional().describe(
    'Earlier starts and comparisons of the same question, which have left less of alpha; absent: none',
  ),
  difference: z.number().nullable().describe('Pass rate or mean reward of head minus base, mean of the configurations'),
  interval: Interval.nullable().describe('Interval of the difference, valid at every look'),
  other_scenarios: Interval.exactOptional().describe(
    'What to expect of other scenarios like these; absent: fewer than 6 scenarios',
  ),
  spent_alpha: z
    .number()
    .describe('The part of alpha that the looks so far have used; all of it if rewards are compared'),
  p: z
    .number()
    .nullable()
    .describe(
      'p of the sequential test, valid whenever the sweep stops, for whatever reason; at most alpha if the counted pairs show a difference; null: nothing tested',
    ),
  rounds: z.number().int().describe('Rounds that have ended, each with a look at the results'),
  runs: z.number().int().describe('Cells that were run'),
  runs_again: z.number().int().describe('Further runs of these cells, because one had ended with an error'),
  most_runs: z.number().int().describe('Runs of the whole plan'),
  pairs_left_out: z
    .number()
    .int()
    .describe('Pairs in which a cell neither passed nor failed, or has no reward to compare'),
  configurations: z
    .array(
      z.strictObject({
        scenario: z.string().describe('Name of the scenario'),
        agent: z.string().describe('Name of the agent'),
        model: z.string().describe('Name of the model'),
        variant: z.string().describe('The variant of head'),
        base: Counted.describe('Runs of base'),
        head: Counted.describe('Runs of head'),
      }),
    )
    .describe('What was counted'),
  doubts: z.array(z.string()).describe('What makes the verdict less reliable'),
  judge_drift: JudgeDrift.exactOptional().describe(
    'Whether the models that judged are the same in an earlier base; a verdict of which they could be the reason is `not tested`; absent: no model judged, or nothing to take back',
  ),
});
export type Decision = z.infer<typeof Decision>;
