import { z } from 'zod';
import { Cell, SubjectTokens } from '#model';
import { Calibration, GateCalibration, JudgeDrift } from '../calibration/document.js';
import { CommonTrajectory } from '../by-parameter.js';
import { StopReason } from '../decision/decision.js';
import { Interval } from '../interval.js';
import { Measure } from './measure.js';

/** Version of the format of `Comparison`. Version 1 had no intervals of differences, and its total was pooled. */
export const COMPARISON_VERSION = 2;

/** The default level of significance: a difference is shown as such if its p is not above this. */
export const ALPHA = 0.05;

/** The difference that `needed` is about if there is no margin. */
export const DIFFERENCE_TO_SHOW = 0.2;

/** The probability with which the needed runs show that difference, if it is real. */
export const POWER = 0.8;

/** The common fields of repetitions of a cell. */
export const Configuration = Cell.pick({ scenario: true, agent: true, model: true, variant: true });
export type Configuration = z.infer<typeof Configuration>;

/**
 * `no difference shown`: there may still be one. `too few runs`: no outcome of so few runs could show a difference.
 * `nothing to compare`: one side has no run, or both sides have the same runs.
 */
export const ComparisonVerdict = z.enum([
  'better',
  'worse',
  'no difference shown',
  'too few runs',
  'nothing to compare',
]);
export type ComparisonVerdict = z.infer<typeof ComparisonVerdict>;

/** Numbers of cells on one side. `tested`: those that passed or failed, in runs that count here. */
export const Side = z.object({
  passed: z.number().int().describe('Runs that passed'),
  tested: z.number().int().describe('Runs that passed or failed and count here'),
  rate: z.number().nullable().describe('Passed / tested; for several configurations, the mean of their pass rates'),
  interval: Interval.nullable().describe(
    'Interval of the pass rate (Wilson) at the confidence 1 - alpha; null for several configurations',
  ),
  flaky: z
    .number()
    .int()
    .describe('Configurations in which some runs of the same build of the target passed and some failed'),
  reused: z.number().int().describe('Tested runs reused from earlier sweeps'),
  shared: z.number().int().describe('Left out: the same run as on the other side'),
  retried: z.number().int().describe('Rerun although they had a result; the first result counts'),
  after_errors: z
    .number()
    .int()
    .describe('Tested, but only after a run of the cell had ended without a result: what it hid is unknown'),
  passed_after_errors: z.number().int().describe('Of these, those that passed'),
  errored: z.number().int().describe('Left out: outcome error'),
  cancelled: z.number().int().describe('Left out: cancelled'),
  waiting: z.number().int().describe('Left out: no result yet'),
});
export type Side = z.infer<typeof Side>;

/**
 * The result of `--gate`. `not worse` is shown: by the margin, by a rise, or because all results were reused. `not
 * shown`: nothing is, so head may be worse. `undecided`: too few runs. `not tested`: head lacks results that base has,
 * or the untested cells decide whether it is worse.
 */
export const Gate = z.object({
  result: z
    .enum(['not worse', 'not shown', 'worse', 'undecided', 'not tested'])
    .describe(
      'Decides the exit code of --gate; `not shown`: no margin was given, and no loss is shown, nor that there is none',
    ),
  reasons: z
    .array(z.string())
    .describe('Why it is neither `not worse` nor `not shown`, and which configurations moved it: sentences'),
});
export type Gate = z.infer<typeof Gate>;

const GateCount = z.object({
  passed: z.number().int().describe('How often it passed'),
  checked: z.number().int().describe('How often it was checked'),
});

/** A gate that passes more or less often than before. */
export const GateChange = z.object({
  gate: z.string().describe('Type and name of the gate'),
  base: GateCount.describe('Before'),
  head: GateCount.describe('After'),
  change: z.enum(['better', 'worse']).describe('Direction'),
});
export type GateChange = z.infer<typeof GateChange>;

/** A difference in something other than outcomes. */
export const Change = z.object({
  what: z.string().describe('What differs besides outcomes'),
  base: z.string().nullable().describe('Value as text; null: none, or not kept'),
  head: z.string().nullable().describe('Value as text; null: none, or not kept'),
  doubtful: z.boolean().describe('Whether it may explain a difference without any change of the target'),
  of: z.array(z.string()).describe('Scenarios or agents concerned; empty: all'),
});
export type Change = z.infer<typeof Change>;

const Tested = z.object({
  base: Side.describe('Cells of base'),
  head: Side.describe('Cells of head'),
  difference: z
    .number()
    .nullable()
    .describe('Pass rate of head minus pass rate of base; for several configurations, the mean of their differences'),
  interval: Interval.nullable().describe(
    'Interval of the difference (Miettinen-Nurminen) at the confidence 1 - alpha; excludes 0 exactly if the verdict is `better` or `worse`',
  ),
  p: z
    .number()
    .nullable()
    .describe(
      'Two-sided: of the score test that the interval inverts; with few runs, the larger of it and an exact p (mid-p; Boschloo for a single configuration); null: nothing to test',
    ),
  smallest_p: z
    .number()
    .nullable()
    .describe('The smallest p, adjusted if there is an adjusted one, that is possible with these numbers of runs'),
  verdict: ComparisonVerdict.describe('Verdict based on p'),
  robust: z
    .boolean()
    .nullable()
    .describe(
      'Whether `better` or `worse` would remain whatever errors and untested cells have hidden; false for a single one of several configurations whose sweep has stopped because of all of them; null: neither',
    ),
  not_worse: z
    .object({
      bound: z.number().describe('Lower bound of the difference, one-sided at the confidence 1 - alpha'),
      holds: z.boolean().describe('Whether the bound is above the negative margin'),
    })
    .nullable()
    .describe(
      'Whether head is not worse by the margin or more; null: no margin, nothing to test, or unknown because of errors',
    ),
  equivalent: z
    .boolean()
    .nullable()
    .describe(
      'Whether head is neither worse nor better by the margin or more; null: no margin, nothing to test, or unknown because of errors',
    ),
  measures: z.array(Measure).describe('Numbers of the tested runs besides passing'),
});

const EstimatedRate = z.object({
  rate: z.number().describe('The pass rate that all scenarios of this side suggest'),
  interval: Interval.describe('Its interval at the confidence 1 - alpha'),
});

const Versions = z.object({
  versions: z.array(z.string()).exactOptional().describe('As the agent prints them; absent: unknown'),
});

export const ComparedConfiguration = Configuration.extend({
  ...Tested.shape,
  agent_ran: z
    .object({ base: Versions.describe('Before'), head: Versions.describe('After') })
    .exactOptional()
    .describe('The versions of its agent that ran; absent: unknown on both sides'),
  estimate: z
    .object({ base: EstimatedRate.describe('Before'), head: EstimatedRate.describe('After') })
    .nullable()
    .describe(
      'The pass rates drawn towards those of the other scenarios, which are closer to the truth than those of few runs; null: the agent, model and variant have fewer than 6 scenarios',
    ),
  adjusted_p: z
    .number()
    .nullable()
    .describe('p allowing for the number of configurations (step-down min-p); decides the verdict'),
  gates: z.array(GateChange).describe('Gates that pass more or less often than before'),
  same_inputs: z
    .boolean()
    .nullable()
    .describe('Whether everything that a result depends on is the same; null: unknown'),
});
export type ComparedConfiguration = z.infer<typeof ComparedConfiguration>;

const Estimate = z.object({
  value: z.number().describe('Unbiased estimate'),
  interval: Interval.describe('At the confidence 1 - alpha'),
});

const Reliability = z.object({
  pass_at_k: Estimate.describe('Probability that at least one of k runs passes (pass@k)'),
  pass_hat_k: Estimate.describe('Probability that all of k runs pass (pass^k)'),
});

/** All configurations together, each with the same weight. */
const Total = Tested.omit({ verdict: true }).extend({
  sequential: z
    .literal(true)
    .exactOptional()
    .describe(
      'Set if difference, interval, p and verdict are those with which `run --until-clear` has stopped, because these are its two sides',
    ),
  reliability: z
    .object({
      k: z.number().int().describe('Half of the runs that every compared configuration has on both sides, rounded up'),
      base: Reliability.describe('Mean over configurations, before'),
      head: Reliability.describe('Mean over configurations, after'),
    })
    .nullable()
    .describe('Null: a configuration has only one run'),
  needed: z
    .object({
      difference: z.number().describe('The margin, or 0.2'),
      power: z.number().describe('The probability of showing this difference if it is real'),
      runs: z.number().int().describe('Further runs of each configuration on each side; 0: enough'),
      alpha: z.number().describe('Level at which they would be tested: of the next look, or of this one'),
    })
    .nullable()
    .describe('How many more runs show a difference of this size; null: nothing to compare'),
  other_scenarios: z
    .object({
      scenarios: z.number().int().describe('Scenarios with runs on both sides, taken as a sample'),
      difference: z.number().describe('Mean of their differences, each scenario with the same weight'),
      interval: Interval.describe("Student's t interval at the confidence 1 - alpha, no shorter than `interval`"),
      variance: z
        .object({
          scenario: z.number().describe('Of pass rates, between scenarios'),
          difference: z.number().describe('Of the difference of both sides, between scenarios'),
          runs: z.number().describe('What runs of the same scenario add to its difference'),
        })
        .nullable()
        .describe('Where differences come from; null: a configuration has a single run on a side'),
    })
    .nullable()
    .describe('The difference to expect of other scenarios like these; null: fewer than 6 scenarios to compare'),
});

const CapabilityCount = z.object({
  achieved: z.number().int().describe('How often it was achieved'),
  checked: z.number().int().describe('How often it was checked'),
});

/** A capability, before and after. It is not tested for significance. */
const ComparedCapability = z.object({
  capability: z.string().describe('As the gate `llm_judge` names it'),
  base: CapabilityCount.describe('Before'),
  head: CapabilityCount.describe('After'),
});

/** All configurations that have the same value of a parameter of a matrix, whatever their other parameters are. */
export const ComparedParameter = z.object({
  parameter: z.string().describe('Field of the scenario file that varies'),
  value: z.json().describe('One of its values'),
  configurations: z.number().int().describe('Configurations with this value on both sides'),
  ...Tested.shape,
  adjusted_p: z
    .number()
    .nullable()
    .describe('p allowing for the number of values of all parameters (Holm); decides the verdict'),
  capabilities: z.array(ComparedCapability).describe('Capabilities that gates checked'),
  common_trajectories: z
    .object({
      base: z.array(CommonTrajectory).describe('Before'),
      head: z.array(CommonTrajectory).describe('After'),
    })
    .describe('The most frequent sequences of tools'),
});
export type ComparedParameter = z.infer<typeof ComparedParameter>;

const SweepName = z.object({
  sweep: z.string().describe('Id of the sweep'),
  variant: z.string().nullable().describe('The only variant compared; null: all variants'),
  started: z.string().describe('ISO 8601 in UTC'),
  status: z.enum(['open', 'completed', 'cancelled']).describe('open: not ended; the results so far are compared'),
  stopped: StopReason.nullable()
    .exactOptional()
    .describe('Why a sweep of `run --until-clear` started no more runs; absent: it is no such sweep'),
  baseline: z
    .string()
    .exactOptional()
    .describe('The baseline file, if base is one; `sweep` and `started` are those of its newest line'),
});

/** The share of alpha of this and earlier looks at the same configurations with the same runs, and fewer of them. */
export const Look = z.object({
  number: z
    .number()
    .int()
    .describe(
      'From 1. Each sweep that added runs to what is compared, or repeated them, has led to a look, whoever looked',
    ),
  of_alpha: z.number().describe('Level of significance of all looks together (`--alpha`)'),
  spent: z
    .number()
    .describe(
      'What these looks, and starts of `run --until-clear` before, may have spent; with starts up to 1.1 times it',
    ),
});

/** The output of `compare --json`. */
export const Comparison = z.object({
  schema_version: z.literal(COMPARISON_VERSION).describe('Version of the format'),
  base: SweepName.describe('Before'),
  head: SweepName.describe('After'),
  alpha: z
    .number()
    .describe('Level of significance of this look: every p is compared with it, and intervals have 1 - alpha'),
  look: Look.exactOptional().describe(
    'Looks at the same question; absent: `total.sequential`, which has allowed for its looks',
  ),
  next_start_alpha: z
    .number()
    .describe('What a sweep of `run --until-clear` that asks the same question would have of alpha now'),
  margin: z.number().nullable().describe('The largest loss that is accepted, as a share; null: none given'),
  verdict: ComparisonVerdict.describe('Of all configurations together'),
  gate: Gate.describe('Result of --gate'),
  total: Total.describe('All configurations with tested runs on both sides, each with the same weight'),
  configurations: z
    .array(ComparedConfiguration)
    .describe('One for each scenario, agent, model and variant on both sides'),
  parameters: z
    .array(ComparedParameter)
    .exactOptional()
    .describe('The same by value of each parameter, if both sweeps are of the same matrix of ElizaOS'),
  subject_tokens: z
    .array(SubjectTokens)
    .exactOptional()
    .describe(
      'What the subject adds to the context before the first turn, by agent and model; absent: both sides have the same subject',
    ),
  only_in_base: z.array(Configuration).describe('Not compared'),
  only_in_head: z.array(Configuration).describe('Not compared'),
  changes: z.array(Change).describe('What differs besides outcomes'),
  calibration: z
    .object({
      base: z.array(Calibration).describe('Before'),
      head: z.array(Calibration).describe('After'),
    })
    .exactOptional()
    .describe('The judges compared with people; absent: no run was judged'),
  gate_calibration: z
    .object({
      base: z.array(GateCalibration).describe('Before'),
      head: z.array(GateCalibration).describe('After'),
    })
    .exactOptional()
    .describe('Gates that a model decided, compared with people; absent: none'),
  judge_drift: JudgeDrift.exactOptional().describe(
    'Whether the models that judged are the same on both sides; absent: none judged, or both sides are of one sweep',
  ),
  doubts: z.array(z.string()).describe('Reasons to doubt these numbers'),
});
export type Comparison = z.infer<typeof Comparison>;

/** The level of significance and the margin of a comparison. */
export interface ComparisonOptions {
  /** Level of significance, between 0 and 1: of all looks at a question, or of one of them. */
  alpha: number;
  /** The largest loss of the pass rate that is accepted, as a share; null: none is named. */
  margin: number | null;
}

export const DEFAULT_OPTIONS: ComparisonOptions = { alpha: ALPHA, margin: null };
