import { z } from 'zod';
import { Cell, Usd } from '#model';
import { ComparisonVerdict, Look } from '../comparison/document.js';
import { Calibration, GateCalibration } from '../calibration/document.js';
import { Interval } from '../interval.js';

const AgentName = Cell.pick({ agent: true, model: true });
export type AgentName = z.infer<typeof AgentName>;

/** An agent with a model, over all scenarios of a sweep. */
export const RankedAgent = AgentName.extend({
  versions: z
    .array(z.string())
    .exactOptional()
    .describe('The versions of the agent that ran, as it prints them; absent: unknown'),
  rank: z.int().nullable().describe('Place by pass rate, from 1; equal rates share it; null: a scenario is missing'),
  passed: z.int().describe('Runs that passed'),
  tested: z.int().describe('Runs that passed or failed'),
  rate: z.number().nullable().describe('Mean of the pass rates of its scenarios, each with the same weight'),
  interval: Interval.nullable().describe('Interval of the rate, at the confidence 1 - look.of_alpha'),
  missing: z.array(z.string()).describe('Scenarios in which no run of it passed or failed, but one of others did'),
  after_errors: z
    .int()
    .describe('Tested, but only after a run of the cell had ended without a result: what it hid is unknown'),
  errored: z.int().describe('Left out: outcome error'),
  cancelled: z.int().describe('Left out: cancelled'),
  waiting: z.int().describe('Left out: no result yet'),
  cost_usd: z
    .number()
    .nullable()
    .describe('Mean cost of a tested run without the judge, each scenario with the same weight; null: unknown'),
  cost_runs: z.int().describe('Tested runs whose cost is known'),
  cost_per_pass_usd: Usd.nullable().describe('cost_usd / rate; null: unknown, or nothing passed'),
  duration_secs: z.number().nullable().describe('Mean duration of a tested run, each scenario with the same weight'),
  pareto: z
    .boolean()
    .nullable()
    .describe(
      'Whether no other ranked agent passes as often for less, or more often for as much per pass; null: not ranked, or unknown cost',
    ),
  unbeaten: z
    .boolean()
    .nullable()
    .describe('Whether no other agent is shown to be better, whatever errors have hidden; null: not ranked'),
  within_margin: z
    .boolean()
    .nullable()
    .describe(
      'Whether it is shown to be not worse than any other ranked agent by the margin or more; null: no margin, or not ranked',
    ),
});
export type RankedAgent = z.infer<typeof RankedAgent>;

const NotWorse = z.object({
  bound: z.number().describe('Lower bound of its pass rate minus that of the other'),
  holds: z.boolean().describe('Whether the bound is above the negative margin'),
});

/** The difference between two agents. */
export const AgentPair = z.object({
  first: AgentName.describe('The one listed first'),
  second: AgentName.describe('The other one'),
  scenarios: z.int().describe('Scenarios in which both were tested; only these are compared'),
  difference: z.number().nullable().describe('Pass rate of the first minus that of the second, mean over scenarios'),
  interval: Interval.nullable().describe('Of the difference; all intervals together hold at the confidence 1 - alpha'),
  p: z.number().nullable().describe('Two-sided; null: nothing to test'),
  adjusted_p: z.number().nullable().describe('p corrected for the number of pairs; decides the verdict'),
  smallest_p: z.number().nullable().describe('The smallest p possible with this number of runs'),
  verdict: ComparisonVerdict.describe('Of the first'),
  robust: z
    .boolean()
    .nullable()
    .describe('Whether `better` or `worse` would remain whatever errors and untested cells have hidden; null: neither'),
  not_worse: z
    .object({
      first: NotWorse.describe('Of the first'),
      second: NotWorse.describe('Of the second'),
    })
    .nullable()
    .describe(
      'Whether each is not worse than the other by the margin or more; all bounds together hold at the confidence 1 - alpha; null: no margin, or nothing to test',
    ),
});
export type AgentPair = z.infer<typeof AgentPair>;

/** The output of `compare --agents --json`. */
export const Ranking = z.object({
  schema_version: z.literal(1).describe('Version of the format'),
  sweep: z.string().describe('Id of the sweep'),
  started: z.string().describe('ISO 8601 in UTC'),
  status: z.enum(['open', 'completed', 'cancelled']).describe('open: not ended; these are the results so far'),
  alpha: z.number().describe('Level of this look: the chance of any false difference among all pairs'),
  look: Look.describe('Looks at the same question: at the pair of agents that was looked at most'),
  margin: z.number().nullable().describe('The difference of pass rates that is accepted, as a share; null: none given'),
  scenarios: z.array(z.string()).describe('Scenarios, with their variants, in which any agent was tested'),
  agents: z.array(RankedAgent).describe('By rank; those that are not ranked come last'),
  pairs: z.array(AgentPair).describe('All pairs of agents'),
  calibration: z
    .array(Calibration)
    .exactOptional()
    .describe('The judges of the sweep compared with people; absent: none'),
  gate_calibration: z
    .array(GateCalibration)
    .exactOptional()
    .describe('Gates that a model decided, compared with people; absent: none'),
  doubts: z.array(z.string()).describe('Reasons to doubt these numbers'),
});
export type Ranking = z.infer<typeof Ranking>;
