import { type Attributes, defined, type Span, type SpanEvent } from '#lib';
import type { RunEvent, EventBody } from '../records/events.js';
import type { Metrics } from '../records/result-line.js';
import type { RunRecord, StepRecord } from '../records/run-record.js';
import { gateTitle } from '../gate-title.js';
import { STEPS } from '../step-names.js';
import { isFailedResult } from '../transcript/text-result.js';

/** Some collectors refuse traces with more spans. */
const MAX_TOOLS = 5000;

type Call = Extract<EventBody, { type: 'tool_call' }>;
type Result = Extract<EventBody, { type: 'tool_result' }>;

/**
 * Collects the calls of tools, in bounded memory. `agents`: the spans of the agent's steps; a call belongs to the last
 * one that began before it. A call without a result ends with the step.
 */
function createToolSpans(
  agents: readonly Span[],
  withContent: boolean,
): { add: (event: RunEvent) => void; end: () => readonly Span[] } {
  const spans: Span[] = [];
  let open = new Map<string, Span>();
  let attempt = 0;
  return {
    add(event) {
      // Ids are unique only within a start.
      if (event.attempt !== attempt) open = new Map();
      attempt = event.attempt;
      if (event.type === 'tool_call' && spans.length < MAX_TOOLS) {
        const span = spanOf(event, agents, withContent);
        if (span === null) return;
        spans.push(span);
        open.set(event.id, span);
      } else if (event.type === 'tool_result') {
        const span = open.get(event.id);
        open.delete(event.id);
        if (span !== undefined) close(span, event, withContent);
      }
    },
    end: () => spans,
  };
}

function spanOf(call: Call & RunEvent, agents: readonly Span[], withContent: boolean): Span | null {
  const startedAt = Date.parse(call.ts);
  const agent = agents.findLast((one) => one.startedAt <= startedAt) ?? agents[0];
  if (agent === undefined) return null;
  return {
    name: `execute_tool ${call.name}`,
    key: `tool ${call.seq}`,
    parent: agent.key,
    startedAt,
    endedAt: Math.max(startedAt, agent.endedAt),
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.name,
      'gen_ai.tool.call.id': call.id,
      ...(withContent ? { 'gen_ai.tool.call.arguments': call.command ?? JSON.stringify(call.input) } : {}),
    },
    events: [],
    error: null,
  };
}

function close(span: Span, { ts, exit_code, is_error, output }: Result & RunEvent, withContent: boolean): void {
  const more: Attributes = {
    ...defined({ 'process.exit.code': exit_code }),
    ...(withContent ? { 'gen_ai.tool.call.result': output } : {}),
  };
  Object.assign(span.attributes, more);
  span.endedAt = Math.max(span.startedAt, Date.parse(ts));
  if (isFailedResult({ exit_code, is_error }))
    span.error = exit_code === null ? 'the call failed' : `exit ${exit_code}`;
}

/** The records of a run, as stored: redacted. */
export interface TracedRun {
  record: RunRecord;
  metrics: Metrics;
  /** US dollars; null: unknown. */
  costUsd: number | null;
}

const RUN = 'run';

/**
 * Describes a run as a trace: a span for the run, in it one for each step that was performed, and in those of the agent
 * one for each call of a tool. The run's events are added in order. Names and attributes follow OpenTelemetry's
 * semantic conventions for generative AI where they have a term; ours begin with `llm_tool_test.`. `withContent`:
 * whether arguments and results of tools are included.
 */
export function createTrace(
  run: TracedRun,
  withContent: boolean,
): { add: (event: RunEvent) => void; end: () => Span[] } {
  const { record } = run;
  const steps = record.steps.flatMap((step) => stepSpan(run, step) ?? []);
  const tools = createToolSpans(steps.filter(isOfAgent), withContent);
  return {
    add: tools.add,
    end() {
      const parts = [...steps, ...tools.end()];
      const whole: Span = {
        name: `run ${record.scenario.name}`,
        key: RUN,
        parent: null,
        startedAt: Date.parse(record.started_at),
        endedAt: Math.max(Date.parse(record.ended_at), ...parts.map(({ endedAt }) => endedAt)),
        attributes: attributesOf(run),
        events: evaluations(run),
        error: record.outcome === 'pass' ? null : `${record.outcome}: ${record.message}`,
      };
      return [whole, ...parts];
    },
  };
}

const isOfAgent = ({ attributes }: Span): boolean => attributes['gen_ai.operation.name'] === 'invoke_agent';

function attributesOf({ record, costUsd }: TracedRun): Attributes {
  return {
    'llm_tool_test.sweep': record.sweep,
    'llm_tool_test.run': record.run_id,
    'llm_tool_test.cell': record.cell,
    'llm_tool_test.scenario': record.scenario.name,
    'llm_tool_test.agent': record.agent_name,
    'llm_tool_test.model': record.model,
    'llm_tool_test.variant': record.variant,
    'llm_tool_test.repetition': record.repetition,
    'llm_tool_test.outcome': record.outcome,
    ...defined({ 'llm_tool_test.cost_usd': costUsd }),
  };
}

/** Null for a step that has no times: it was not performed, failed for good, or is the report. */
function stepSpan(run: TracedRun, { name, duration_ms, ended_at, attempts }: StepRecord): Span | null {
  if (duration_ms === null || ended_at === undefined) return null;
  const endedAt = Date.parse(ended_at);
  const isAgent = /^(agent|turn)\b/.test(name);
  const gate = run.metrics.details.find(({ index }) => name === STEPS.gate(index));
  return {
    name: isAgent ? `invoke_agent ${run.record.agent_name}` : name,
    key: name,
    parent: RUN,
    startedAt: endedAt - duration_ms,
    endedAt,
    attributes: {
      'llm_tool_test.step': name,
      'llm_tool_test.attempts': attempts,
      ...(isAgent ? agentAttributes(run) : {}),
      ...(gate === undefined
        ? {}
        : { 'llm_tool_test.gate': gateTitle(gate), 'llm_tool_test.gate.status': gate.status }),
    },
    events: [],
    error: gate === undefined || gate.status === 'pass' ? null : gate.message,
  };
}

function agentAttributes({ record: { agent, agent_name, model } }: TracedRun): Attributes {
  const usage = agent?.token_usage;
  const known = (name: string, value: string | number | null | undefined): Attributes =>
    value === null || value === undefined ? {} : { [name]: value };
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent_name,
    'gen_ai.request.model': model,
    ...known('gen_ai.response.model', agent?.model_used),
    ...known('gen_ai.conversation.id', agent?.session_id),
    ...known('gen_ai.usage.input_tokens', usage?.input),
    ...known('gen_ai.usage.output_tokens', usage?.output),
    ...known('llm_tool_test.ending', agent?.ending),
  };
}

/** Verdicts of gates and scores of the judge, as events of the run. */
function evaluations({ record, metrics }: TracedRun): SpanEvent[] {
  const at = Date.parse(record.ended_at);
  const event = (attributes: Attributes): SpanEvent => ({ name: 'gen_ai.evaluation.result', at, attributes });
  const gates = metrics.details.map((gate) =>
    event({
      'gen_ai.evaluation.name': gateTitle(gate),
      'gen_ai.evaluation.score.label': gate.status,
      'gen_ai.evaluation.explanation': gate.message,
    }),
  );
  const { judge } = metrics;
  if (judge === null) return gates;
  return [
    ...gates,
    event({ 'gen_ai.evaluation.name': 'judge', 'gen_ai.evaluation.score.value': judge.weighted_score }),
  ];
}
