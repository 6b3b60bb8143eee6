import { z } from 'zod';
import { schemaVersion } from '#lib';
import { AgentWork } from './agent-work.js';
import type { Cell } from './cell.js';
import { RunHost } from './host-record.js';
import { JsonValue, Usd } from './quantities.js';
import { Judgment } from './judgment.js';
import { OutputProblems } from './output-problems.js';
import { KeptText } from './redact-fields.js';
import { NO_FACTS, Outcome, RunFacts } from './run-facts.js';
import { TokenUsage } from './token-usage.js';

/**
 * The shapes of a run's results (specs/reference/results.md). Unknown numbers are null, never 0.
 * Additions keep SCHEMA_VERSION; any other change raises it.
 */
export const SCHEMA_VERSION = 1;

export const GateDetail = z.object({
  index: z.int().describe('Position in the scenario, from 0'),
  gate_type: KeptText.describe('Type of the gate'),
  name: KeptText.nullable().describe('Name that the scenario gives it'),
  subject: z.string().describe('What is checked, in a few words: notes.md'),
  status: z.enum(['pass', 'fail', 'error']).describe('error: the check could not be performed'),
  passed: z.boolean().describe('Whether the status is pass'),
  message: z.string().describe('What was found'),
  detail: JsonValue.nullable().describe('What a script printed as its detail'),
  duration_ms: z.number().describe('Duration'),
  judged_by: KeptText.exactOptional().describe('Model or agent that was asked, as requested; absent: none'),
  model_used: z.string().exactOptional().describe('The same as the provider names it; absent: unknown'),
  forgeable: KeptText.exactOptional().describe(
    'Why the agent could have forged what the gate looked at; absent: it could not',
  ),
});
export type GateDetail = z.infer<typeof GateDetail>;

export const Efficiency = z.object({
  total_commands: z.int().describe('Calls of the target'),
  unique_commands: z.int().describe('Different names of called commands'),
  error_count: z.int().describe('Calls that failed'),
  retry_count: z.int().describe('Total minus unique: calls that repeat a name, even if nothing failed'),
  help_invocations: z.int().describe('Calls for help'),
  first_try_success_rate: z
    .number()
    .nullable()
    .describe('Names whose first call succeeded / names; null without calls'),
  iteration_ratio: z.number().describe('Unique / total; 0 without calls'),
});
export type Efficiency = z.infer<typeof Efficiency>;

export const EvaluatorResult = z.object({
  name: KeptText.describe('Name of the evaluator'),
  metrics: JsonValue.nullable().describe('What it measured'),
  score: z.number().nullable().describe('From 0 to 1'),
  summary: z.string().nullable().describe('Its summary in words'),
  error: z.string().nullable().describe('Why its answer could not be used'),
});
export type EvaluatorResult = z.infer<typeof EvaluatorResult>;

export const Metrics = z.object({
  schema_version: schemaVersion(SCHEMA_VERSION).describe('Version of the format'),
  run_id: KeptText.describe('Id of the run'),
  outcome: Outcome.describe('Outcome of the run'),
  completed: z.boolean().nullable().describe('Whether the agent ended by itself and successfully; null: not started'),
  gates_passed: z.int().describe('Gates that passed'),
  gates_total: z.int().describe('Gates of the scenario'),
  details: z.array(GateDetail).describe('The gates that were checked'),
  efficiency: Efficiency.nullable().describe('Calls of the target; null without a transcript'),
  agent_work: AgentWork.nullable().describe('What the agent did; null: no agent took part'),
  judge: Judgment.nullable().describe('Null: no judge was asked, or none of its answers could be used'),
  composite_score: z.number().exactOptional().describe('Only of runs that passed or failed'),
  evaluator_results: z.array(EvaluatorResult).describe('The evaluators'),
});
export type Metrics = z.infer<typeof Metrics>;

/** One line of results.jsonl: a finished run. If several lines have the same id, the last one counts. */
export const ResultLine = z.object({
  schema_version: schemaVersion(SCHEMA_VERSION).describe('Version of the format'),
  id: z.string().describe('Id of the run, or <sweep>/<cell> without one'),
  sweep: z.string().describe('Id of the sweep'),
  cell: z.string().describe('Id of the cell'),
  scenario_id: z.string().describe('Name of the scenario'),
  scenario_hash: z.string().describe('Changes with the scenario, its fixture and its checks folder'),
  agent: z.string().describe('Name of the agent'),
  agent_version: z
    .string()
    .exactOptional()
    .describe('As the agent prints it; absent: unknown, or no agent was started'),
  model: z.string().describe('Name of the model'),
  model_used: z.string().exactOptional().describe('As the agent reports it; absent: unknown'),
  variant: z.string().describe('Name of the variant'),
  repetition: z.int().describe('From 1'),
  timestamp: z.string().describe('Start of the run, ISO 8601 in UTC'),
  cost_usd: Usd.nullable().describe('Cost of agent and judge; null: unknown'),
  cost_usd_at_least: Usd.exactOptional().describe('The known part of an unknown cost'),
  token_usage: TokenUsage.exactOptional().describe('See run.json; absent: no agent took part'),
  token_usage_at_least: TokenUsage.exactOptional().describe('See run.json'),
  completed: z.boolean().nullable().describe('Whether the agent ended by itself and successfully'),
  gates_passed: z.int().nullable().describe('Gates that passed'),
  gates_total: z.int().nullable().describe('Gates of the scenario'),
  judge_score: z.number().nullable().describe('Weighted score of the judge, 0 to 1'),
  outcome: Outcome.describe('Outcome of the run'),
  message: z.string().describe('The reason, in a sentence'),
  metrics: Metrics.nullable().describe('Null: the cell had no run of its own'),
  results_dir: z.string().nullable().describe('Folder of the run, relative to the results folder'),
  cache_key: z.string().nullable().describe('SHA-256 of everything that the result depends on; null: not computed'),
  ...RunFacts.shape,
  target_fingerprint: z
    .string()
    .nullable()
    .exactOptional()
    .describe('See run.json; absent: the cell had no run of its own'),
  output_problems: OutputProblems.exactOptional().describe('See run.json; absent: none'),
  agent_key: z
    .string()
    .exactOptional()
    .describe("SHA-256 of everything that the agent's work depends on, which excludes checks; absent: not computed"),
  cached_from: z.string().nullable().describe('Id of the run whose result was reused'),
  errors_before: z
    .int()
    .exactOptional()
    .describe(
      'Runs of other sweeps that ended without a result, and in whose place this one counts: with the same inputs, or of the cell whose result was reused; absent: none',
    ),
  attempts: z.int().nullable().describe("Attempts of the agent's step; null: unknown, because the run was lost"),
  lost_runs: z
    .int()
    .exactOptional()
    .describe('Runs of this cell before this one that were lost with their hosts; absent: none'),
  begun_anew: z
    .int()
    .exactOptional()
    .describe(
      'Times that the agent began anew in a fresh workspace, after its work until then had ended without a result; absent: none',
    ),
  host: RunHost.exactOptional().describe(
    'Where it ran; absent: results that are not shared, or a cell that was not run',
  ),
});
export type ResultLine = z.infer<typeof ResultLine>;

/** Returns the id of the run in which the work was done. The work of one run can be the result of several sweeps. */
export const workRunOf = ({
  id,
  cached_from,
  regraded_from,
}: Pick<ResultLine, 'id' | 'cached_from' | 'regraded_from'>): string => regraded_from?.run ?? cached_from ?? id;

/** Returns the line of a cell that was not run. Fields that only a run can fill are null. */
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
  // If it is not known whether the agent was started, the cost is not known either.
  cost_usd: about.starts === null ? null : 0,
  completed: null,
  gates_passed: null,
  gates_total: null,
  judge_score: null,
  metrics: null,
  results_dir: null,
  cache_key: null,
  cached_from: null,
  ...NO_FACTS,
  attempts: 0,
  starts: 0,
  ...about,
});
