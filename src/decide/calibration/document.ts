import { z } from 'zod';
import { Interval } from '../interval.js';

/**
 * `not calibrated`: no run has a score of a person. `unclear`: the scores are too few or too much alike to tell. `low
 * agreement`: the judge scores differently from people. `agrees`: shown to agree with them.
 */
export const CalibrationVerdict = z.enum(['not calibrated', 'unclear', 'low agreement', 'agrees']);
export type CalibrationVerdict = z.infer<typeof CalibrationVerdict>;

const Agreement = z.object({
  reviewed: z.int().describe('Runs that both a person and the judge scored, also in earlier sweeps'),
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
      reviewed: z.int().describe('Runs of this sweep that it is based on'),
    })
    .nullable()
    .describe("judge_mean corrected by people's scores; null: fewer than 2 runs of this sweep have one"),
});
export type Agreement = z.infer<typeof Agreement>;

/** The agreement of a model's verdicts on a gate with those of people. */
export const GateCalibration = z.object({
  scenario: z.string().describe('The scenario with the gate'),
  number: z.int().describe('Place of the gate in the scenario, from 1'),
  gate: z.string().describe('Type and name of the gate'),
  judge: z.string().describe('The model that decided it, as requested'),
  judged: z.int().describe('Runs of this sweep in which it decided the gate'),
  passed: z.int().describe('How many of these passed the gate'),
  reviewed: z.int().describe('Runs in which a person decided it too, also in earlier sweeps'),
  agreed: z.int().describe('How many of these have the same verdict'),
  interval: Interval.nullable().describe('95 % interval of agreed / reviewed (Wilson); null: none reviewed'),
  kappa: z
    .number()
    .nullable()
    .describe(
      "Cohen's kappa: 1 is perfect agreement, 0 is that of chance; null: fewer than 2 runs, or all verdicts alike",
    ),
  kappa_interval: Interval.nullable().describe('95 % interval of kappa'),
  verdict: CalibrationVerdict.describe('Based on the interval of kappa'),
  passed_alone: z.int().describe('Reviewed runs that the model passed and the person failed'),
  failed_alone: z.int().describe('Reviewed runs that the model failed and the person passed'),
  corrected: z
    .object({
      rate: z.number().describe('Share of all of them that people would pass'),
      interval: Interval.describe('95 % interval'),
      reviewed: z.int().describe('Runs of this sweep that it is based on'),
    })
    .nullable()
    .describe("passed / judged corrected by people's verdicts; null: fewer than 2 runs of this sweep have one"),
});
export type GateCalibration = z.infer<typeof GateCalibration>;

/** The calibrations of the models that have judged the runs of a sweep. */
export interface Calibrations {
  judges: readonly Calibration[];
  gates: readonly GateCalibration[];
}

/** The agreement of a judge's scores with those of people. */
export const Calibration = z.object({
  judge: z.string().describe('Its model, as requested'),
  scenarios: z.array(z.string()).describe('Scenarios of this sweep that it judged'),
  judged: z.int().describe('Runs of this sweep that it judged'),
  verdict: CalibrationVerdict.describe(
    'Of the weighted score or, if no person scored a run as a whole, of the criteria',
  ),
  passed_alone: z.int().describe("Reviewed runs whose score reaches the threshold, and the person's does not"),
  failed_alone: z.int().describe("Reviewed runs whose score misses the threshold, and the person's does not"),
  overall: Agreement.describe('Of the weighted score'),
  criteria: z
    .array(Agreement.extend({ criterion: z.string().describe('Id of the criterion') }))
    .describe('The same for each criterion'),
});
export type Calibration = z.infer<typeof Calibration>;

interface Calibrated {
  calibration?: readonly Calibration[];
  gate_calibration?: readonly GateCalibration[];
}

/** Returns what a document knows of the models that judged. */
export const calibrationsIn = ({ calibration, gate_calibration }: Calibrated): Calibrations => ({
  judges: calibration ?? [],
  gates: gate_calibration ?? [],
});

/** Returns the fields of a document for what is known of the models that judged; none where nothing was judged. */
export const calibrationFields = ({ judges, gates }: Calibrations) => ({
  ...(judges.length === 0 ? {} : { calibration: [...judges] }),
  ...(gates.length === 0 ? {} : { gate_calibration: [...gates] }),
});

/** The movement of the judge between base and head, as far as it is known. */
export const JudgeDrift = z.object({
  state: z
    .enum(['same', 'moved', 'not checked'])
    .describe(
      '`moved`: more verdicts changed in one direction than chance explains; `same`: no such drift is shown; `not checked`: no kept answer of base was judged again',
    ),
  differs: z
    .array(z.string())
    .describe('What the records of both sides say differently of their judges: sentences; empty: nothing'),
  judged: z.int().describe('Compared runs of base that a model judged'),
  again: z.int().describe('Of these, those judged again as head was: by `regrade`'),
  to_fail: z.int().describe('Of these, runs that passed before and fail now'),
  to_pass: z.int().describe('Of these, runs that failed before and pass now'),
  left_out: z.int().describe('Judged again, but left out: a check that asks no model has another verdict, too'),
  moved: z.number().nullable().describe('(to_pass - to_fail) / again'),
  interval: Interval.nullable().describe('Its interval (Tango) at the confidence 1 - alpha'),
  p: z.number().nullable().describe('Two-sided: of the exact test of McNemar'),
  sweeps: z.array(z.string()).describe('The sweeps in which they were judged again'),
  days: z.int().nullable().describe('The most days between that and the start of head'),
  without: z
    .object({
      difference: z.number().describe('The difference of all configurations less what the judge moved'),
      interval: Interval.describe('At the confidence 1 - alpha'),
    })
    .nullable()
    .describe('The change as the judge of head sees it; null: not checked, or nothing to test'),
  explains: z
    .boolean()
    .describe('Whether the judge could be the reason for the verdict, or for the claim about the margin'),
  sample: z
    .object({
      runs: z.int().describe('Runs of base to judge again'),
      usd: z.number().nullable().describe('Its cost by what judging them has cost before; null: unknown'),
      model: z.string().nullable().describe('The model that judged head, if another one was asked in base'),
    })
    .nullable()
    .describe('The sample that shows whether the judge has moved; null: base keeps no answers'),
});
export type JudgeDrift = z.infer<typeof JudgeDrift>;
