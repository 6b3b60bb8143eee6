import { z } from 'zod';
import { Interval } from '../interval.js';

/**
 * `not calibrated`: no run has a score of a person. `unclear`: the scores are too few or too much alike to tell. `low agreement`:
 * the judge scores differently from people. `agrees`: shown to agree with them.
 */
export const CalibrationVerdict = z.enum(['not calibrated', 'unclear', 'low agreement', 'agrees']);
export type CalibrationVerdict = z.infer<typeof CalibrationVerdict>;

const Agreement = z.object({
  reviewed: z.number().int().describe('Runs that both a person and the judge scored, also in earlier sweeps'),
  kappa: z
    .number()
    .nullable()
    .describe(
      'Weighted kappa: 1 is perfect agreement, 0 is that of chance; null: fewer than 2 runs, or all scores alike',
    ),
  interval: Interval.nullable().describe('95 % interval of kappa'),
  difference: z.number().nullable().describe("Mean of the judge's score minus the person's"),
  difference_interval: Interval.nullable().describe('95 % interval of the difference'),
  verdict: CalibrationVerdict.describe('Based on the interval of kappa'),
  judge_mean: z.number().nullable().describe("Mean score of the judge in this sweep's runs"),
  corrected: z
    .object({
      mean: z.number().describe('Mean score that people would give to all of them'),
      interval: Interval.describe('95 % interval'),
      reviewed: z.number().int().describe('Runs of this sweep that it is based on'),
    })
    .nullable()
    .describe("judge_mean corrected by people's scores; null: fewer than 2 runs of this sweep have one"),
});
export type Agreement = z.infer<typeof Agreement>;

/** How far the scores of a judge agree with those of people. */
export const Calibration = z.object({
  judge: z.string().describe('Its model, as requested'),
  scenarios: z.array(z.string()).describe('Scenarios of this sweep that it judged'),
  judged: z.number().int().describe('Runs of this sweep that it judged'),
  verdict: CalibrationVerdict.describe(
    'Of the weighted score or, if no person scored a run as a whole, of the criteria',
  ),
  passed_alone: z
    .number()
    .int()
    .describe("Reviewed runs whose score reaches the threshold, and the person's does not"),
  failed_alone: z
    .number()
    .int()
    .describe("Reviewed runs whose score misses the threshold, and the person's does not"),
  overall: Agreement.describe('Of the weighted score'),
  criteria: z
    .array(Agreement.extend({ criterion: z.string().describe('Id of the criterion') }))
    .describe('The same for each criterion'),
});
export type Calibration = z.infer<typeof Calibration>;
