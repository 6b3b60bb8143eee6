import { z } from 'zod';
import { describeEnd } from '../lib/command-result.js';
import { CONTAINMENTS } from '../lib/supervision.js';
import { Regression } from './regressions.js';
import { Outcome, SCHEMA_VERSION } from './schema.js';
import { TokenUsage } from './token-usage.js';

/** A setup command, health check or post script as it went. Output is the redacted start of what was written. */
export const CommandRecord = z.object({
  command: z.string(),
  exit_code: z.number().int().nullable(),
  timed_out: z.boolean(),
  duration_ms: z.number(),
  stdout: z.string(),
  stderr: z.string(),
});
export type CommandRecord = z.infer<typeof CommandRecord>;

/**
 * How an agent run ended. `done`: a proved success. `gave_up`: it ended by itself without success.
 * `unable`: it could not work at all (no binary, bad key, quota), so nothing can be said of the tool under test.
 */
export const Ending = z.enum([
  'done',
  'gave_up',
  'max_turns',
  'timeout',
  'idle_timeout',
  'max_cost',
  'crashed',
  'unable',
  'cancelled',
]);
export type Ending = z.infer<typeof Ending>;

/** "exit 3", "timed out", "ended by a signal". */
export const commandEnd = ({ exit_code, timed_out }: CommandRecord): string =>
  describeEnd({ exitCode: exit_code, timedOut: timed_out }, null);

export const AgentRecord = z.object({
  ending: Ending,
  /** The agent ended by itself and successfully. */
  completed: z.boolean(),
  exit_code: z.number().int().nullable(),
  /** One sentence on how it ended. */
  message: z.string(),
  version: z.string().nullable(),
  /** How its processes were contained: pidns, userns or group (specs/architecture.md); null when it was not started. */
  containment: z.enum(CONTAINMENTS).nullable().default(null),
  /** It used its user's own login in place of a key. */
  login: z.boolean().default(false),
  session_id: z.string().nullable(),
  model_used: z.string().nullable(),
  duration_ms: z.number(),
  /** How many times the agent was started. */
  starts: z.number().int(),
  output_bytes: z.number().int(),
  /** null throughout where the agent was interrupted: then what is known of it is in `token_usage_at_least`. */
  token_usage: TokenUsage,
  token_usage_at_least: TokenUsage.exactOptional(),
  /** The same of the cost. */
  cost_usd: z.number().nullable(),
  cost_usd_at_least: z.number().exactOptional(),
  /** Who says so: the agent, the config's prices, or the public price list; null where nothing is known of the cost. */
  cost_source: z.enum(['reported', 'config', 'list']).nullable().default(null),
  /** What became of the other attempts, e.g. "attempt 1 ended: worker lost after 14 s; adopted". */
  history: z.array(z.string()),
});
export type AgentRecord = z.infer<typeof AgentRecord>;

/** A step of the run, in the order performed: an activity of the workflow. */
export const StepRecord = z.object({
  name: z.string(),
  status: z.enum(['done', 'failed', 'not_performed']),
  /** null when the step was not performed. */
  duration_ms: z.number().nullable(),
  attempts: z.number().int(),
  /** The reason why it failed or was not performed; null when it was done. */
  note: z.string().nullable(),
});
export type StepRecord = z.infer<typeof StepRecord>;

/** artifacts/run.json: what ran, where, with what and how it ended. Scores are in metrics.json. */
export const RunRecord = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  run_id: z.string(),
  sweep: z.string(),
  cell: z.string(),
  workflow_id: z.string(),
  scenario: z.object({
    name: z.string(),
    description: z.string(),
    file: z.string(),
    hash: z.string(),
    tier: z.number().int(),
    tags: z.array(z.string()),
    prompt: z.string(),
  }),
  target: z.object({
    binary: z.string(),
    resolved: z.string().nullable(),
    /** Differs where its content does; null where it was not found, or an older build wrote this. */
    fingerprint: z.string().nullable().default(null),
    health_check: CommandRecord.nullable(),
  }),
  agent_name: z.string(),
  model: z.string(),
  variant: z.string(),
  repetition: z.number().int(),
  /** The place in use: local or bubblewrap. */
  environment: z.string(),
  /** Whether the agent was in a sandbox. */
  sandboxed: z.boolean().default(false),
  /** What of the machine the agent, and what checked its work, was kept from; absent in what older builds wrote. */
  sandbox: z.object({ filesystem: z.boolean(), network: z.enum(['isolated', 'shared']) }).exactOptional(),
  /** ISO 8601 UTC */
  started_at: z.string(),
  ended_at: z.string(),
  duration_secs: z.number(),
  outcome: Outcome,
  message: z.string(),
  /** null when the agent was not started, or its step failed for good. */
  agent: AgentRecord.nullable(),
  /** How often the agent was started in all; null where an older build wrote this. */
  starts: z.number().int().nullable().default(null),
  /** The judge that was to be asked, and the files it left; null where none was. Its scores are in metrics.json. */
  judge: z
    .object({
      model: z.string(),
      /** As the scenario names it. */
      rubric: z.string(),
      /** Relative to the run's folder. */
      artifacts: z.array(z.string()),
    })
    .nullable()
    .default(null),
  setup: z.array(CommandRecord),
  /** Agent scripts that were run before the agent, which was given what they answered. */
  context: z.array(CommandRecord).default([]),
  post_scripts: z.array(CommandRecord),
  steps: z.array(StepRecord),
  /** What a reader should know though it changes no outcome (a failed setup command, a setting not enforced). */
  warnings: z.array(z.string()),
  /** What got worse since the previous run of the cell. */
  regressions: z.array(Regression).default([]),
});
export type RunRecord = z.infer<typeof RunRecord>;
