import { defined, isFiniteJson, type Json, omit, ownValue, sha256 } from '#lib';
import {
  type AgentRecord,
  agentWork,
  type Cell,
  createTrajectoryCollector,
  decideOutcome,
  decisiveReward,
  type EndReason,
  type EventBody,
  type GateDetail,
  type Metrics,
  NO_USAGE,
  type Pricer,
  type RunEvent,
  type RunRecord,
  SCHEMA_VERSION,
  sumOfCosts,
  sumUsage,
  type TokenUsage,
} from '#model';
import type { Header, Message, Sample, Score, Usage } from './log-schema.js';

/** A sample as a run of ours. */
interface SampleRecords {
  record: RunRecord;
  metrics: Metrics;
  events: RunEvent[];
  costUsd: number | null;
}

/** The identity of the run that a sample becomes. */
interface ImportedRun {
  sweep: string;
  run: string;
  cell: Cell;
  /** The log, as shown to people. */
  file: string;
}

/** Identifies what a sample asks for and how it is scored, so that only the same samples are compared. */
const sampleHash = ({ eval: { task, task_version } }: Header, { id, input, choices, target, setup }: Sample) =>
  sha256(JSON.stringify({ task, task_version, id, input: plainInput(input), choices, target, setup }));

/** The text of a sample's input. The ids of its messages differ from evaluation to evaluation. */
const plainInput = (input: Sample['input']): string =>
  typeof input === 'string' ? input : input.map(({ role, content }) => `${role}: ${textOf(content)}`).join('\n\n');

/** Writes a sample as the records of a run. Its verdict is that of its scorers, all of which must be content. */
export function recordsOfSample(header: Header, sample: Sample, about: ImportedRun, pricer: Pricer): SampleRecords {
  const { run, sweep, cell, file } = about;
  const startedAt = new Date(sample.started_at ?? header.eval.created);
  const seconds = sample.total_time ?? null;
  const usages = Object.entries(sample.model_usage).map(([model, usage]) => usageOf(model, usage, pricer));
  const costUsd = usages.length === 0 ? null : sumOfCosts(usages.map(({ cost_usd }) => cost_usd));
  const tokens = usages.length === 0 ? NO_USAGE : sumUsage(usages);
  const details = Object.entries(sample.scores ?? {}).map(([name, score], index) => gateOf(name, score, index));
  const agent: AgentRecord = {
    ...endOf(sample),
    exit_code: null,
    version: null,
    containment: null,
    login: false,
    session_id: null,
    model_used: null,
    duration_ms: Math.round((seconds ?? 0) * 1000),
    starts: 1,
    output_bytes: 0,
    token_usage: tokens,
    cost_usd: costUsd,
    cost_source: costUsd === null ? null : usages.some(({ isReported }) => isReported) ? 'reported' : 'list',
    history: [],
  };
  const decision = decideOutcome({
    rule: 'all_pass',
    needsAgent: true,
    cancelled: false,
    unfit: null,
    agent,
    checks:
      details.length === 0
        ? [{ kind: 'step', step: 'score', result: null, why: 'is missing: the log has no score of this sample' }]
        : details.map((result) => ({ kind: 'gate', step: result.gate_type, result, why: null })),
  });
  const bodies: EventBody[] = [
    { type: 'session', session_id: null, model_requested: header.eval.model, model_used: null },
    ...sample.messages.flatMap(eventsOf),
    ...usages.map((usage): EventBody => ({ type: 'usage', ...omit(usage, 'isReported') })),
    { type: 'result', ending: agent.ending, exit_code: null },
  ];
  const trajectory = createTrajectoryCollector();
  for (const body of bodies) trajectory.add(body);
  const metrics: Metrics = {
    schema_version: SCHEMA_VERSION,
    run_id: run,
    outcome: decision.outcome,
    completed: agent.completed,
    gates_passed: details.filter(({ passed }) => passed).length,
    gates_total: details.length,
    details,
    efficiency: null,
    agent_work: agentWork(trajectory.end(null), tokens),
    judge: null,
    evaluator_results: [],
  };
  const record: RunRecord = {
    schema_version: SCHEMA_VERSION,
    run_id: run,
    sweep,
    cell: cell.id,
    workflow_id: '',
    scenario: {
      name: cell.scenario,
      description: `Sample ${sample.id} of ${header.eval.task}, imported from Inspect`,
      file,
      hash: sampleHash(header, sample),
      tier: 0,
      tags: ['inspect'],
      prompt: plainInput(sample.input),
    },
    target: null,
    agent_name: cell.agent,
    model: cell.model,
    variant: cell.variant,
    repetition: cell.repetition,
    environment: 'inspect',
    sandboxed: false,
    started_at: startedAt.toISOString(),
    ended_at: new Date(startedAt.getTime() + (seconds ?? 0) * 1000).toISOString(),
    duration_secs: seconds ?? 0,
    starts: 1,
    ...decision,
    agent,
    judge: null,
    setup: [],
    context: [],
    post_scripts: [],
    steps: [],
    regressions: [],
    warnings: sample.limit == null ? [] : [`Inspect ended the sample at its limit: ${agent.message}`],
  };
  const ts = startedAt.toISOString();
  return { record, metrics, events: bodies.map((body, at) => ({ ts, seq: at + 1, attempt: 1, ...body })), costUsd };
}

function usageOf(
  model: string,
  usage: Usage,
  pricer: Pricer,
): TokenUsage & { cost_usd: number | null; isReported: boolean } {
  const reasoning = Math.min(usage.reasoning_tokens ?? 0, usage.output_tokens);
  const tokens: TokenUsage = {
    input: usage.input_tokens,
    output: usage.output_tokens - reasoning,
    reasoning: usage.reasoning_tokens == null ? null : reasoning,
    cache_read: usage.input_tokens_cache_read ?? null,
    cache_write: usage.input_tokens_cache_write ?? null,
  };
  const reported = usage.total_cost ?? null;
  return { ...tokens, cost_usd: reported ?? pricer(tokens, [model])?.usd ?? null, isReported: reported !== null };
}

/** Limits of Inspect by which the agent did not end by itself. */
const ENDINGS: Readonly<Record<string, EndReason>> = {
  message: 'max_turns',
  turn: 'max_turns',
  time: 'timeout',
  working: 'timeout',
  token: 'max_cost',
  cost: 'max_cost',
};

function endOf({ error, limit }: Sample): Pick<AgentRecord, 'ending' | 'completed' | 'message'> {
  if (error != null) return { ending: 'unable', completed: false, message: error.message };
  if (limit == null) return { ending: 'done', completed: true, message: 'done' };
  return {
    ending: ownValue(ENDINGS, limit.type) ?? 'gave_up',
    completed: false,
    message: `limit of ${limit.limit} (${limit.type}) reached`,
  };
}

const MARKS: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0, yes: 1, true: 1, no: 0, false: 0 };

/** A value of a score from 0 to 1, as Inspect's `value_to_float` reads it; null: it says nothing of passing. */
function rewardIn(value: unknown): number | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const text = String(value);
  const number =
    ownValue(MARKS, text) ?? ownValue(MARKS, text.toLowerCase()) ?? (text.trim() === '' ? NaN : Number(text));
  return number >= 0 && number <= 1 ? number : null;
}

function gateOf(name: string, { value, explanation, answer }: Score, index: number): GateDetail {
  const parts = typeof value === 'object' && value !== null ? Object.entries(value) : [[name, value] as const];
  const rewards = Object.fromEntries(
    parts.flatMap(([key, part]) => {
      const reward = rewardIn(part);
      return reward === null ? [] : [[key, reward]];
    }),
  );
  const isKnown = parts.length > 0 && Object.keys(rewards).length === parts.length;
  const decisive = isKnown ? decisiveReward(rewards) : null;
  const status = decisive === null ? 'error' : decisive >= 1 ? 'pass' : 'fail';
  const text = JSON.stringify(value);
  const why = explanation == null || explanation.trim() === '' ? '' : `: ${explanation.trim()}`;
  const detail: Json = { ...(isKnown ? { rewards } : {}), value, ...defined({ answer }) };
  return {
    index,
    gate_type: 'scorer',
    name: null,
    subject: name,
    status,
    passed: status === 'pass',
    message:
      status === 'error' ? `the score ${text} is not from 0 to 1, so it does not say what passes` : `${text}${why}`,
    detail: isFiniteJson(detail) ? detail : null,
    duration_ms: 0,
  };
}

const textOf = (content: Message['content']): string =>
  typeof content === 'string'
    ? content
    : content
        .map((part) => (part.type === 'reasoning' ? '' : (part.text ?? `[${part.type}]`)))
        .join('\n')
        .trim();

/** The messages of a sample as events of an agent. */
function eventsOf({ role, content, tool_calls, tool_call_id, error }: Message): EventBody[] {
  const text = textOf(content);
  if (role === 'tool')
    return [
      {
        type: 'tool_result',
        id: tool_call_id ?? '',
        exit_code: null,
        is_error: error != null,
        output: error == null ? text : [text, error.message].filter((part) => part !== '').join('\n'),
        truncated: false,
      },
    ];
  const reasoning =
    typeof content === 'string'
      ? []
      : content.flatMap((part): EventBody[] => {
          const thought = part.type === 'reasoning' ? part.summary || part.reasoning || '' : '';
          return thought === '' ? [] : [{ type: 'reasoning', text: thought }];
        });
  return [
    ...reasoning,
    ...(text === '' ? [] : [{ type: 'message', role, text } as const]),
    ...(tool_calls ?? []).map((call): EventBody => ({
      type: 'tool_call',
      id: call.id,
      name: call.function,
      input: (call.arguments ?? null) as Json,
      command: null,
    })),
  ];
}
