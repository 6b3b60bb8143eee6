import type { RunEvent } from './events.js';
import type { Executions } from './execution.js';
import type { HumanReview } from './human-review.js';
import type { JudgeAnswer, Judgment } from './judgment.js';
import type { OutputProblems } from './output-problems.js';
import { redactFields, type Treatments } from './redact-fields.js';
import type { Regression } from '../regressions.js';
import type { AgentRecord, CommandRecord, RunRecord } from './run-record.js';
import type { EvaluatorResult, GateDetail, Metrics } from './result-line.js';
import type { TokenUsage } from './token-usage.js';

/* Which fields of results are text, and are redacted, and which are names, by which results are found. */

const usage: Treatments<TokenUsage> = {
  input: 'kept',
  output: 'kept',
  reasoning: 'kept',
  cache_read: 'kept',
  cache_write: 'kept',
};

const regression: Treatments<Regression> = { kind: 'kept', message: 'redacted', since: 'kept', runs: 'kept' };

const commandText: Treatments<CommandRecord> = {
  command: 'redacted',
  exit_code: 'kept',
  timed_out: 'kept',
  duration_ms: 'kept',
  stdout: 'redacted',
  stderr: 'redacted',
};

export const gateText: Treatments<GateDetail> = {
  index: 'kept',
  gate_type: 'kept',
  name: 'kept',
  subject: 'redacted',
  status: 'kept',
  passed: 'kept',
  message: 'redacted',
  detail: 'redacted',
  duration_ms: 'kept',
  judged_by: 'kept',
  model_used: 'redacted',
  forgeable: 'kept',
};

export const evaluatorText: Treatments<EvaluatorResult> = {
  name: 'kept',
  metrics: 'redacted',
  score: 'kept',
  summary: 'redacted',
  error: 'redacted',
};

export const reviewText: Treatments<HumanReview> = {
  score: 'kept',
  points: 'kept',
  max: 'kept',
  criteria: 'kept',
  gates: 'kept',
  labels: 'redacted',
  notes: 'redacted',
  reviewer: 'redacted',
  problem: 'redacted',
};

export const judgmentText: Treatments<Judgment> = {
  model: 'kept',
  model_used: 'redacted',
  scores: 'kept',
  weighted_score: 'kept',
  votes: 'kept',
  spread: { range: 'kept', deviation: 'kept' },
  confidence: 'kept',
  issues: 'redacted',
  highlights: 'redacted',
  fields: 'values',
  pass_threshold: 'kept',
  passed: 'kept',
  usage,
  cost_usd: 'kept',
  cost_usd_at_least: 'kept',
  attempts: 'kept',
};

export const answerText: Treatments<JudgeAnswer> = {
  schema_version: 'kept',
  at: 'kept',
  model: 'kept',
  model_used: 'redacted',
  finish_reason: 'redacted',
  start: 'kept',
  usage,
  wrong: 'redacted',
  problem: 'redacted',
  text: 'redacted',
};

/** A line's message quotes what the agent printed. */
export const problemsText: Treatments<OutputProblems> = {
  lines: 'kept',
  events: 'kept',
  unread: 'kept',
  first: { start: 'kept', line: 'kept', field: 'redacted', message: 'redacted' },
};

/** The session id and the model come from the agent's output, so they are redacted as text. */
export const agentText: Treatments<AgentRecord> = {
  ending: 'kept',
  completed: 'kept',
  exit_code: 'kept',
  message: 'redacted',
  version: 'redacted',
  containment: 'kept',
  login: 'kept',
  session_id: 'redacted',
  model_used: 'redacted',
  duration_ms: 'kept',
  starts: 'kept',
  output_bytes: 'kept',
  text_output: 'kept',
  output_problems: problemsText,
  token_usage: usage,
  first_request: { tokens: 'kept', unknown: 'redacted' },
  token_usage_at_least: usage,
  cost_usd: 'kept',
  cost_usd_at_least: 'kept',
  cost_source: 'kept',
  history: 'redacted',
};

export const metricsText: Treatments<Metrics> = {
  schema_version: 'kept',
  run_id: 'kept',
  outcome: 'kept',
  completed: 'kept',
  gates_passed: 'kept',
  gates_total: 'kept',
  details: gateText,
  efficiency: {
    total_commands: 'kept',
    unique_commands: 'kept',
    error_count: 'kept',
    retry_count: 'kept',
    help_invocations: 'kept',
    first_try_success_rate: 'kept',
    iteration_ratio: 'kept',
  },
  agent_work: {
    tokens: 'kept',
    first_request_tokens: 'kept',
    mcp_tools: { count: 'kept', bytes: 'kept' },
    tool_calls: 'kept',
    actions: 'redacted',
  },
  judge: judgmentText,
  composite_score: 'kept',
  evaluator_results: evaluatorText,
};

export const executionsText: Treatments<Executions> = {
  schema_version: 'kept',
  run_id: 'kept',
  executions: {
    step: 'kept',
    name: 'kept',
    exitCode: 'kept',
    stdout: 'redacted',
    stderr: 'redacted',
    // One by one, because the redactor treats each file as a separate document.
    files: 'values',
    filesLeftOut: 'kept',
    filesRemoved: 'redacted',
    startedAtMs: 'kept',
    endedAtMs: 'kept',
    durationMs: 'kept',
    trajectory: { type: 'kept', timestamp: 'kept', content: 'redacted' },
    trajectoryLeftOut: 'kept',
  },
};

const mockedCallText = {
  args: 'redacted',
  step: 'redacted',
  exit_code: 'kept',
  status: 'kept',
  failed_by_chance: 'kept',
} as const;

export const recordText: Treatments<RunRecord> = {
  schema_version: 'kept',
  run_id: 'kept',
  sweep: 'kept',
  cell: 'kept',
  workflow_id: 'kept',
  scenario: {
    name: 'kept',
    description: 'redacted',
    file: 'path',
    hash: 'kept',
    tier: 'kept',
    tags: 'kept',
    prompt: 'redacted',
  },
  target: { binary: 'path', resolved: 'redacted', fingerprint: 'kept', health_check: commandText },
  agent_name: 'kept',
  model: 'kept',
  variant: 'kept',
  repetition: 'kept',
  environment: 'kept',
  host: { id: 'kept', name: 'kept' },
  lost_hosts: { id: 'kept', name: 'kept', at: 'kept' },
  image: { name: 'redacted', id: 'kept' },
  sandboxed: 'kept',
  sandbox: { filesystem: 'kept', network: 'kept' },
  starts: 'kept',
  started_at: 'kept',
  ended_at: 'kept',
  duration_secs: 'kept',
  outcome: 'kept',
  message: 'redacted',
  agent: agentText,
  judge: { model: 'kept', rubric: 'path', artifacts: 'kept' },
  asked: {
    model: 'kept',
    answers: 'kept',
    usage,
    cost_usd: 'kept',
    cost_usd_at_least: 'kept',
    artifacts: 'kept',
  },
  setup: commandText,
  context: commandText,
  post_scripts: commandText,
  live: 'kept',
  mocks: {
    by_mock: { command: 'kept', args: 'redacted', calls: mockedCallText },
    unmatched: { command: 'redacted', ...mockedCallText },
    matcher_errors: { mock: 'kept', message: 'redacted', calls: 'kept' },
    more: 'kept',
  },
  conversation: {
    turns: { number: 'kept', user: 'redacted', agent: 'redacted' },
    ended: { step: 'kept', turn: 'kept', reason: 'kept' },
  },
  regraded_from: { run: 'kept', outcome: 'kept', paid_usd: 'kept' },
  left_out: { path: 'redacted', reason: 'kept' },
  steps: {
    name: 'kept',
    status: 'kept',
    duration_ms: 'kept',
    attempts: 'kept',
    note: 'redacted',
    ended_at: 'kept',
  },
  warnings: 'redacted',
  unchecked: 'kept',
  regressions: regression,
};

/** The fields of all events together: no field is text in one type of event and a name in another. */
type AnyEvent = { [Key in KeyOf<RunEvent>]: FieldOf<RunEvent, Key> };
type KeyOf<T> = T extends T ? keyof T : never;
type FieldOf<T, Key> = T extends T ? (Key extends keyof T ? T[Key] : never) : never;

const eventText: Treatments<AnyEvent> = {
  ts: 'kept',
  seq: 'kept',
  attempt: 'kept',
  type: 'kept',
  session_id: 'redacted',
  model_requested: 'redacted',
  model_used: 'redacted',
  role: 'kept',
  text: 'redacted',
  id: 'redacted',
  name: 'redacted',
  input: 'redacted',
  command: 'redacted',
  executed: 'kept',
  exit_code: 'kept',
  is_error: 'kept',
  output: 'redacted',
  truncated: 'kept',
  reasoning: 'kept',
  cache_read: 'kept',
  cache_write: 'kept',
  cost_usd: 'kept',
  cost_of_start: 'kept',
  timed_out: 'kept',
  stdout: 'redacted',
  stderr: 'redacted',
  message: 'redacted',
  retryable: 'kept',
  status: 'kept',
  kind: 'redacted',
  lost: 'kept',
  ending: 'kept',
  server: 'kept',
  tool: 'redacted',
  arguments: 'redacted',
  result: 'redacted',
  error: 'redacted',
  duration_ms: 'kept',
  mocked: 'kept',
  limit: 'kept',
  tools: { name: 'redacted', bytes: 'kept' },
};

/** Returns an event of an agent with its texts masked. */
export const redactEvent = (event: RunEvent, redact: (text: string) => string): RunEvent =>
  redactFields(event as unknown as AnyEvent, eventText, redact) as unknown as RunEvent;
