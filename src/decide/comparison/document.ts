import { z } from 'zod';
import { Cell, SubjectTokens } from '#model';
import { Calibration, GateCalibration, JudgeDrift } from '../calibration/document.js';
import { CommonTrajectory } from '../by-parameter.js';
import { StopReason } from '../decision/decision.js';
import { Interval } from '../interval.js';
import { Gate } from './gate.js';
import { Measure } from './measure.js';
import { Side } from './side.js';

/** Version of the format of `Comparison`. Version 1 had no intervals of differences, and its total was pooled. */
export const COMPARISON_VERSION = 2;

/** The default level of significance: a difference is shown as such if its p is not above this. */
export const ALPHA = 0.05;

/** The difference that `needed` is about if there is no margin. */
export const DIFFERENCE_TO_SHOW = 0.2;

/** The probability with which the needed runs show that difference, if it is real. */
export const POWER = 0.8;

const NumberOrNull = z.number().nullable();
const YesNoOrNull = z.boolean().nullable();

/** The same before and after. */
const bothSides = <T extends z.ZodType>(of: T) => ({ base: of.describe('Before'), head: of.describe('After') });

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

const GateCount = z.object({
  passed: z.int().describe('How often it passed'),
  checked: z.int().describe('How often it was checked'),
});

/** A gate that passes more or less often than before. */
export const GateChange = z.object({
  gate: z.string().describe('Type and name of the gate'),
  ...bothSides(GateCount),
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
  difference: NumberOrNull.describe(
    'Pass rate of head minus pass rate of base; for several configurations, the mean of their differences',
  ),
  interval: Interval.nullable().describe(
    'Interval of the difference (Miettinen-Nurminen) at the confidence 1 - alpha; excludes 0 exactly if the verdict is `better` or `worse`',
  ),
  p: NumberOrNull.describe(
    'Two-sided: of the score test that the interval inverts; with few runs, the larger of it and an exact p (mid-p; Boschloo for a single configuration); null: nothing to test',
  ),
  smallest_p: NumberOrNull.describe(
    'The smallest p, adjusted if there is an adjusted one, that is possible with these numbers of runs',
  ),
  verdict: ComparisonVerdict.describe('Verdict based on p'),
  robust: YesNoOrNull.describe(
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
  equivalent: YesNoOrNull.describe(
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
    .object(bothSides(Versions))
    .exactOptional()
    .describe('The versions of its agent that ran; absent: unknown on both sides'),
  estimate: z
    .object(bothSides(EstimatedRate))
    .nullable()
    .describe(
      'The pass rates drawn towards those of the other scenarios, which are closer to the truth than those of few runs; null: the agent, model and variant have fewer than 6 scenarios',
    ),
  adjusted_p: NumberOrNull.describe(
    'p allowing for the number of configurations (step-down min-p); decides the verdict',
  ),
  gates: z.array(GateChange).describe('Gates that pass more or less often than before'),
  same_inputs: YesNoOrNull.describe('Whether everything that a result depends on is the same; null: unknown'),
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
      k: z.int().describe('Half of the runs that every compared configuration has on both sides, rounded up'),
      base: Reliability.describe('Mean over configurations, before'),
      head: Reliability.describe('Mean over configurations, after'),
    })
    .nullable()
    .describe('Null: a configuration has only one run'),
  needed: z
    .object({
      difference: z.number().describe('The margin, or 0.2'),
      power: z.number().describe('The probability of showing this difference if it is real'),
      runs: z.int().describe('Further runs of each configuration on each side; 0: enough'),
      alpha: z.number().describe('Level at which they would be tested: of the next look, or of this one'),
    })
    .nullable()
    .describe('How many more runs show a difference of this size; null: nothing to compare'),
  other_scenarios: z
    .object({
      scenarios: z.int().describe('Scenarios with runs on both sides, taken as a sample'),
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
  achieved: z.int().describe('How often it was achieved'),
  checked: z.int().describe('How often it was checked'),
});

/** A capability, before and after. It is not tested for significance. */
const ComparedCapability = z.object({
  capability: z.string().describe('As the gate `llm_judge` names it'),
  ...bothSides(CapabilityCount),
});

/** All configurations that have the same value of a parameter of a matrix, whatever their other parameters are. */
export const ComparedParameter = z.object({
  parameter: z.string().describe('Field of the scenario file that varies'),
  value: z.json().describe('One of its values'),
  configurations: z.int().describe('Configurations with this value on both sides'),
  ...Tested.shape,
  adjusted_p: NumberOrNull.describe(
    'p allowing for the number of values of all parameters (Holm); decides the verdict',
  ),
  capabilities: z.array(ComparedCapability).describe('Capabilities that gates checked'),
  common_trajectories: z.object(bothSides(z.array(CommonTrajectory))).describe('The most frequent sequences of tools'),
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
  ...bothSides(SweepName),
  alpha: z
    .number()
    .describe('Level of significance of this look: every p is compared with it, and intervals have 1 - alpha'),
  look: Look.exactOptional().describe(
    'Looks at the same question; absent: `total.sequential`, which has allowed for its looks',
  ),
  next_start_alpha: z
    .number()
    .describe('What a sweep of `run --until-clear` that asks the same question would have of alpha now'),
  margin: NumberOrNull.describe('The largest loss that is accepted, as a share; null: none given'),
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
    .object(bothSides(z.array(Calibration)))
    .exactOptional()
    .describe('The judges compared with people; absent: no run was judged'),
  gate_calibration: z
    .object(bothSides(z.array(GateCalibration)))
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
