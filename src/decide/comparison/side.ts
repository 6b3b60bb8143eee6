import { z } from 'zod';
import { Interval } from '../interval.js';

/** Numbers of cells on one side. `tested`: those that passed or failed, in runs that count here. */
export const Side = z.object({
  passed: z.int().describe('Runs that passed'),
  tested: z.int().describe('Runs that passed or failed and count here'),
  rate: z.number().nullable().describe('Passed / tested; for several configurations, the mean of their pass rates'),
  interval: Interval.nullable().describe(
    'Interval of the pass rate (Wilson) at the confidence 1 - alpha; null for several configurations',
  ),
  flaky: z.int().describe('Configurations in which some runs of the same build of the target passed and some failed'),
  reused: z.int().describe('Tested runs reused from earlier sweeps'),
  shared: z.int().describe('Left out: the same run as on the other side'),
  retried: z.int().describe('Rerun although they had a result; the first result counts'),
  after_errors: z
    .int()
    .describe('Tested, but only after a run of the cell had ended without a result: what it hid is unknown'),
  passed_after_errors: z.int().describe('Of these, those that passed'),
  errored: z.int().describe('Left out: outcome error'),
  cancelled: z.int().describe('Left out: cancelled'),
  waiting: z.int().describe('Left out: no result yet'),
});
export type Side = z.infer<typeof Side>;
