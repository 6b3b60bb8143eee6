import { z } from 'zod';
import type { Cell } from './cell.js';
import { JsonValue } from './json-value.js';
import { Judgment } from './judgment.js';
import { Regression } from './regressions.js';

/**
 * The shapes of what a run leaves behind (specs/results.md). Unknown numbers are null, never 0.
 * Only additions keep SCHEMA_VERSION; any other change raises it.
 */
export const SCHEMA_VERSION = 1;

export const Outcome = z.enum(['pass', 'fail', 'error', 'cancelled']);
export type Outcome = z.infer<typeof Outcome>;

export const GateDetail = z.object({
  index: z.number().int(),
  gate_type: z.string(),
  name: z.string().nullable(),
  /** A few words on what is checked ("notes.md"). */
  subject: z.string().default(''),
  status: z.enum(['pass', 'fail', 'error']),
  passed: z.boolean(),
  message: z.string(),
  detail: JsonValue.nullable(),
  duration_ms: z.number(),
});
export type GateDetail = z.infer<typeof GateDetail>;

export const Efficiency = z.object({
  total_commands: z.number().int(),
  unique_commands: z.number().int(),
  error_count: z.number().int(),
  retry_count: z.number().int(),
  help_invocations: z.number().int(),
  /** null when the agent called no command of the target. */
  first_try_success_rate: z.number().nullable(),
  iteration_ratio: z.number(),
});
export type Efficiency = z.infer<typeof Efficiency>;

export const EvaluatorResult = z.object({
  name: z.string(),
  metrics: JsonValue.nullable(),
  /** 0..1 */
  score: z.number().nullable(),
  summary: z.string().nullable(),
  error: z.string().nullable(),
});
export type EvaluatorResult = z.infer<typeof EvaluatorResult>;

export const Metrics = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  run_id: z.string(),
  outcome: Outcome,
  /** Whether the agent ended by itself, successfully; null when it was not started. */
  completed: z.boolean().nullable(),
  gates_passed: z.number().int(),
  gates_total: z.number().int(),
  details: z.array(GateDetail),
  /** null when there is no transcript to analyse. */
  efficiency: Efficiency.nullable(),
  /** null when no judge was asked, or none of its answers could be used. */
  judge: Judgment.nullable(),
  composite_score: z.number().optional(),
  evaluator_results: z.array(EvaluatorResult),
});
export type Metrics = z.infer<typeof Metrics>;

/** One line of results.jsonl: a finished run. Readers keep the last line of an id. */
export const ResultLine = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  id: z.string(),
  sweep: z.string(),
  cell: z.string(),
  scenario_id: z.string(),
  scenario_hash: z.string(),
  agent: z.string(),
  model: z.string(),
  variant: z.string(),
  repetition: z.number().int(),
  /** Start of the run, ISO 8601 UTC. */
  timestamp: z.string(),
  /** null, as the counts of gates, when the run was lost. */
  duration_secs: z.number().nullable(),
  cost_usd: z.number().nullable(),
  /** What the run has cost at least, where `cost_usd` is null and a part of it is known. */
  cost_usd_at_least: z.number().exactOptional(),
  completed: z.boolean().nullable(),
  gates_passed: z.number().int().nullable(),
  gates_total: z.number().int().nullable(),
  judge_score: z.number().nullable(),
  outcome: Outcome,
  message: z.string(),
  metrics: Metrics.nullable(),
  /** Relative to the results folder, so that the folder can be moved. */
  results_dir: z.string().nullable(),
  /** SHA-256 over everything that the result depends on; null where the run did not get so far. */
  cache_key: z.string().nullable().default(null),
  /** What got worse since the previous run of the cell. */
  regressions: z.array(Regression).default([]),
  /** The run whose result this is, when it was reused and nothing was run. */
  cached_from: z.string().nullable().default(null),
  /** How often the agent's step was tried, in all runs of the agent; null where nobody can tell: the run was lost. */
  attempts: z.number().int().nullable().default(1),
  /** How often the agent was started; null as above, and where an older build wrote this. */
  starts: z.number().int().nullable().default(null),
});
export type ResultLine = z.infer<typeof ResultLine>;

/** The line of a cell that was not run: all that only a run can tell is null. */
export const resultWithoutRun = (
  cell: Cell,
  about: Pick<ResultLine, 'sweep' | 'scenario_hash' | 'timestamp' | 'outcome' | 'message'> &
    Partial<Pick<ResultLine, 'attempts' | 'starts'>>,
): ResultLine => ({
  schema_version: SCHEMA_VERSION,
  id: `${about.sweep}/${cell.id}`,
  cell: cell.id,
  scenario_id: cell.scenario,
  agent: cell.agent,
  model: cell.model,
  variant: cell.variant,
  repetition: cell.repetition,
  duration_secs: null,
  cost_usd: null,
  completed: null,
  gates_passed: null,
  gates_total: null,
  judge_score: null,
  metrics: null,
  results_dir: null,
  cache_key: null,
  cached_from: null,
  regressions: [],
  attempts: 0,
  starts: 0,
  ...about,
});
