import { z } from 'zod';
import { Calibration } from '../calibration/document.js';
import { CommonTrajectory } from '../common-trajectories.js';
import { Interval } from '../interval.js';
import { Cell } from '../records/cell.js';
import { SCHEMA_VERSION } from '../records/result-line.js';

/** Level of significance: a difference is shown as such if its p is not above this. */
export const ALPHA = 0.05;

/** What repetitions of a cell have in common. */
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
  rate: z.number().nullable().describe('Passed / tested'),
  interval: Interval.nullable().describe('95 % interval; null for several configurations'),
  reused: z.number().int().describe('Tested runs reused from earlier sweeps'),
  shared: z.number().int().describe('Left out: the same run as on the other side'),
  retried: z.number().int().describe('Rerun although they had a result; the first result counts'),
  errored: z.number().int().describe('Left out: outcome error'),
  cancelled: z.number().int().describe('Left out: cancelled'),
  waiting: z.number().int().describe('Left out: no result yet'),
});
export type Side = z.infer<typeof Side>;

/**
 * The result of `--fail-on-worse`. `undecided`: too few runs. `not tested`: head lacks results that base has, or the
 * missing results decide whether it is worse.
 */
export const Gate = z.object({
  result: z
    .enum(['not worse', 'worse', 'undecided', 'not tested'])
    .describe('Decides the exit status with --fail-on-worse'),
  reasons: z.array(z.string()).describe('Why it is undecided or not tested'),
});
export type Gate = z.infer<typeof Gate>;

const Value = z.object({
  value: z.number().nullable().describe('Null: unknown'),
  runs: z.number().int().describe('Number of runs measured'),
});

export const MEASURES = [
  'cost_usd',
  'duration_secs',
  'tokens',
  'tool_calls',
  'commands',
  'first_try_success_rate',
  'judge_score',
  'human_score',
  'composite_score',
] as const;

/** One number measured in runs, before and after. It is not tested for significance. */
export const Measure = z.object({
  name: z.enum(MEASURES).describe('What is measured'),
  of: z.enum(['mean', 'median']).describe('How it is averaged'),
  base: Value.describe('Before'),
  head: Value.describe('After'),
});
export type Measure = z.infer<typeof Measure>;

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
    .describe(
      'Rate of head minus rate of base; for several configurations, the weighted mean (Mantel-Haenszel)',
    ),
  p: z.number().nullable().describe('Two-sided, exact; null: nothing to test'),
  smallest_p: z.number().nullable().describe('The smallest p possible with this number of runs'),
  verdict: ComparisonVerdict.describe('Verdict based on p'),
  measures: z.array(Measure).describe('Not tested for significance'),
});

export const ComparedConfiguration = Configuration.extend({
  ...Tested.shape,
  adjusted_p: z
    .number()
    .nullable()
    .describe('p corrected by Holm over all configurations; decides the verdict'),
  gates: z.array(GateChange).describe('Gates that pass more or less often than before'),
  same_inputs: z
    .boolean()
    .nullable()
    .describe('Whether everything that a result depends on is the same; null: unknown'),
});
export type ComparedConfiguration = z.infer<typeof ComparedConfiguration>;

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
    .describe('p corrected by Holm over all values of all parameters; decides the verdict'),
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
  status: z
    .enum(['open', 'completed', 'cancelled'])
    .describe('open: not ended; the results so far are compared'),
});

/** What `compare --json` prints. */
export const Comparison = z.object({
  schema_version: z.literal(SCHEMA_VERSION).describe('Version of the format'),
  base: SweepName.describe('Before'),
  head: SweepName.describe('After'),
  alpha: z.literal(ALPHA).describe('Level of significance'),
  verdict: ComparisonVerdict.describe('Of all configurations together'),
  gate: Gate.describe('For --fail-on-worse'),
  total: Tested.omit({ verdict: true }).describe('All configurations with tested runs on both sides'),
  configurations: z
    .array(ComparedConfiguration)
    .describe('One for each scenario, agent, model and variant on both sides'),
  parameters: z
    .array(ComparedParameter)
    .exactOptional()
    .describe('The same by value of each parameter, if both sweeps are of the same matrix of ElizaOS'),
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
  doubts: z.array(z.string()).describe('Reasons to doubt these numbers'),
});
export type Comparison = z.infer<typeof Comparison>;
