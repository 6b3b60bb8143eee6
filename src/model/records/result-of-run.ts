import { defined } from '#lib';
import { type Metrics, type ResultLine, SCHEMA_VERSION } from './result-line.js';
import { runFactsOf } from './run-facts.js';
import type { RunRecord } from './run-record.js';

/** Returns the line of a run as its record and its metrics say it, with an unknown cost. */
export const resultOfRun = (record: RunRecord, metrics: Metrics): ResultLine => ({
  schema_version: SCHEMA_VERSION,
  id: record.run_id,
  sweep: record.sweep,
  cell: record.cell,
  scenario_id: record.scenario.name,
  scenario_hash: record.scenario.hash,
  agent: record.agent_name,
  ...(record.agent?.version == null ? {} : { agent_version: record.agent.version }),
  model: record.model,
  ...(record.agent?.model_used == null ? {} : { model_used: record.agent.model_used }),
  variant: record.variant,
  repetition: record.repetition,
  timestamp: record.started_at,
  ...runFactsOf(record),
  cost_usd: null,
  ...(record.agent &&
    defined({
      token_usage: record.agent.token_usage,
      token_usage_at_least: record.agent.token_usage_at_least,
    })),
  completed: metrics.completed,
  gates_passed: metrics.gates_passed,
  gates_total: metrics.gates_total,
  judge_score: metrics.judge?.weighted_score ?? null,
  outcome: record.outcome,
  message: record.message,
  metrics,
  results_dir: record.run_id,
  cache_key: null,
  cached_from: null,
  target_fingerprint: record.target?.fingerprint ?? null,
  ...(record.agent?.output_problems === undefined ? {} : { output_problems: record.agent.output_problems }),
  attempts: null,
});
