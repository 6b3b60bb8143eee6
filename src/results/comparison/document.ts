import { z } from 'zod';
import { Cell } from '../cell.js';
import { SCHEMA_VERSION } from '../schema.js';
import { Interval } from './wilson-interval.js';

/** Differences that are less probable than this by chance are shown as such. */
export const ALPHA = 0.05;

/** What cells of different repetitions have in common. */
export const Configuration = Cell.pick({ scenario: true, agent: true, model: true, variant: true });
export type Configuration = z.infer<typeof Configuration>;

/**
 * `no difference shown`: there may be one. `too few runs`: whatever their outcomes, so few could not show one.
 * `nothing to compare`: no run of the one side, or the same runs on both.
 */
export const ComparisonVerdict = z.enum([
  'better',
  'worse',
  'no difference shown',
  'too few runs',
  'nothing to compare',
]);
export type ComparisonVerdict = z.infer<typeof ComparisonVerdict>;

/** What became of the cells of one side. Only those that passed or failed, by runs that count here, were `tested`. */
export const Side = z.object({
  passed: z.number().int(),
  tested: z.number().int(),
  /** passed / tested; null where nothing was. */
  rate: z.number().nullable(),
  /** 95 %; of several configurations null: their runs are no sample of one rate. */
  interval: Interval.nullable(),
  /** Of those tested, how many were taken from earlier sweeps, and not run for this one. */
  reused: z.number().int(),
  /** Left out: the result is that of a run of the other sweep, where it counts if that sweep ran it. */
  shared: z.number().int(),
  /** Cells that were run again though they had passed or failed: their first result counts. */
  retried: z.number().int(),
  /** Left out: could not be tested. */
  errored: z.number().int(),
  cancelled: z.number().int(),
  /** Left out: no result yet. */
  waiting: z.number().int(),
});
export type Side = z.infer<typeof Side>;

/**
 * What `--fail-on-worse` makes of a comparison. `undecided`: too few runs. `not tested`: what base has tested, head has
 * not, or what is missing decides whether it is worse.
 */
export const Gate = z.object({
  result: z.enum(['not worse', 'worse', 'undecided', 'not tested']),
  /** Sentences on why it is undecided or not tested. */
  reasons: z.array(z.string()),
});
export type Gate = z.infer<typeof Gate>;

const Value = z.object({
  value: z.number().nullable(),
  /** How many runs it is of: those that tell. */
  runs: z.number().int(),
});

export const MEASURES = [
  'cost_usd',
  'duration_secs',
  'commands',
  'first_try_success_rate',
  'judge_score',
  'composite_score',
] as const;

/** One number of runs, before and after: no test is made of it. */
export const Measure = z.object({
  name: z.enum(MEASURES),
  of: z.enum(['mean', 'median']),
  base: Value,
  head: Value,
});
export type Measure = z.infer<typeof Measure>;

const GateCount = z.object({ passed: z.number().int(), checked: z.number().int() });

/** A gate that passes more or less often than before. */
export const GateChange = z.object({
  gate: z.string(),
  base: GateCount,
  head: GateCount,
  change: z.enum(['better', 'worse']),
});
export type GateChange = z.infer<typeof GateChange>;

/** Something besides outcomes that is not as it was. */
export const Change = z.object({
  what: z.string(),
  /** Values as text; null where they say nothing or were not kept. */
  base: z.string().nullable(),
  head: z.string().nullable(),
  /** Whether base and head may differ because of it, though the tool under test is the same. */
  doubtful: z.boolean(),
  /** Where: scenarios or agents by their names; empty for everything. */
  of: z.array(z.string()),
});
export type Change = z.infer<typeof Change>;

const Tested = z.object({
  base: Side,
  head: Side,
  /** Share of passed runs in head less that in base; of several configurations the mean, weighted after Mantel and Haenszel. */
  difference: z.number().nullable(),
  /** Two-sided, exact; null where there is nothing to test. */
  p: z.number().nullable(),
  /** The smallest p that so many runs could give. */
  smallest_p: z.number().nullable(),
  verdict: ComparisonVerdict,
  measures: z.array(Measure),
});

export const ComparedConfiguration = Configuration.extend({
  ...Tested.shape,
  /** Holm's, over all configurations that were tested: it decides the verdict. */
  adjusted_p: z.number().nullable(),
  gates: z.array(GateChange),
  /** Whether everything that a result depends on is the same; null where that is not known. */
  same_inputs: z.boolean().nullable(),
});
export type ComparedConfiguration = z.infer<typeof ComparedConfiguration>;

const SweepName = z.object({
  sweep: z.string(),
  /** The only one that is compared; null where all are, each with itself. */
  variant: z.string().nullable(),
  /** ISO 8601 UTC */
  started: z.string(),
  /** `open`: it has not ended, and its cells are compared as far as they have. */
  status: z.enum(['open', 'completed', 'cancelled']),
});

/** What `compare --json` prints. */
export const Comparison = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  base: SweepName,
  head: SweepName,
  alpha: z.literal(ALPHA),
  verdict: ComparisonVerdict,
  gate: Gate,
  /** All configurations together that have tested runs on both sides. */
  total: Tested.omit({ verdict: true }),
  configurations: z.array(ComparedConfiguration),
  only_in_base: z.array(Configuration),
  only_in_head: z.array(Configuration),
  changes: z.array(Change),
  /** Sentences on what makes these numbers less than they seem. */
  doubts: z.array(z.string()),
});
export type Comparison = z.infer<typeof Comparison>;
