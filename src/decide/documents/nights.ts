import { z } from 'zod';
import { Configuration } from '../comparison/document.js';

const Count = z.object({
  passed: z.int().describe('Runs that passed'),
  tested: z.int().describe('Runs that passed or failed'),
});

/** The counts of a configuration in a night. */
export const NightCount = Configuration.extend({
  passed: z.int().describe('Runs that passed'),
  tested: z.int().describe('Runs that passed or failed, and that no night before has'),
  untested: z.int().describe('Cells that ended with an error, were cancelled, or have not ended'),
  after_errors: Count.exactOptional().describe(
    'Of the tested runs, those of cells that had ended with an error before; absent: none',
  ),
  cost_usd: z.number().nullable().describe('Mean of the tested runs; null: of none is it known'),
  duration_secs: z.number().nullable().describe('Mean of the tested runs; null: of none is it known'),
});
export type NightCount = z.infer<typeof NightCount>;

const Rate = z.object({
  nights: z.int().describe('Nights together'),
  passed: z.int().describe('Runs that passed'),
  tested: z.int().describe('Runs that passed or failed'),
  rate: z.number().nullable().describe('Mean of the pass rates of the configurations'),
});

const Begin = z.object({
  sweep: z.string().describe('Sweep of the night on which it began'),
  at: z.string().describe('When that night was due; ISO 8601 UTC'),
});

/** The result of a night and those before it together, from the reference of the schedule on. */
export const FollowedNights = z.object({
  reference: z.string().describe('Sweep of the night with which the others are compared'),
  accepted: z.boolean().describe('Whether `schedule accept` chose it; if not, it is the first complete night'),
  nights: z.int().describe('Nights from the reference on that tested something, both included'),
  state: z
    .enum(['no loss', 'too few runs', 'possible loss', 'loss'])
    .describe(
      '`loss`: fewer runs pass than before, until that is gone or accepted; `possible loss`: the next nights decide; `too few runs`: no loss could have been seen yet',
    ),
  since: Begin.nullable().describe('When the loss, or the possible loss, began; null: there is none'),
  robust: z
    .boolean()
    .describe('Whether a loss would remain if the cells that errors have left out had turned out well'),
  before: Rate.describe('The reference and the nights that are like it'),
  after: Rate.nullable().describe('The nights since the loss began; null: there is none'),
  configurations: z.array(Configuration).describe('Those that have lost most, if they show it by themselves'),
  rises: z
    .array(
      z.object({
        measure: z.enum(['cost_usd', 'duration_secs']).describe('What has risen'),
        since: Begin.describe('When it began'),
        factor: z.number().describe('Mean of the nights since, to the mean of those before (geometric)'),
      }),
    )
    .describe('Costs and durations of a run that have risen; they do not change the exit code'),
});
export type FollowedNights = z.infer<typeof FollowedNights>;
