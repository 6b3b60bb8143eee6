import { defined, isJsonObject, type Json } from '#lib';
import type { EventBody, RunEvent, RunRecord, TokenUsage } from '#model';

/**
 * A trajectory in the Agent Trajectory Interchange Format, which Harbor writes and reads. All objects refuse other
 * fields; what we know besides is in `extra`. What is unknown is left out.
 */
export interface Trajectory {
  schema_version: 'ATIF-v1.8';
  session_id?: string;
  trajectory_id: string;
  agent: { name: string; version: string; model_name?: string };
  steps: TrajectoryStep[];
  final_metrics: Record<string, Json>;
  extra: Record<string, Json>;
}

interface TrajectoryStep {
  step_id: number;
  timestamp: string;
  source: 'system' | 'user' | 'agent';
  message: string;
  reasoning_content?: string;
  tool_calls?: { tool_call_id: string; function_name: string; arguments: Record<string, Json>; extra?: Extra }[];
  observation?: { results: { source_call_id?: string; content: string; extra?: Extra }[] };
  metrics?: StepMetrics;
  extra?: Extra;
}
type Extra = Record<string, Json>;
type StepMetrics = Partial<Record<'prompt_tokens' | 'completion_tokens' | 'cached_tokens' | 'cost_usd', number>> & {
  extra?: Extra;
};
type Event<T extends EventBody['type']> = Extract<EventBody, { type: T }> & Pick<RunEvent, 'ts' | 'attempt'>;

/** Converts the events of a run in which an agent took part. */
export function trajectoryOf(run: RunRecord, events: Iterable<RunEvent>): Trajectory {
  const steps = createSteps();
  const prompt = run.conversation?.turns[0]?.user ?? run.scenario.prompt ?? '';
  let session: string | null = null;
  let start: number | null = null;
  let ended: Extra = {};
  let isAsked = false;
  for (const event of events) {
    const isSaid = event.type === 'message' && event.role === 'user';
    // The prompt is in no event, except for a conversation that began in an earlier start.
    if (!isAsked && event.type !== 'setup_command' && event.type !== 'session') {
      if (!isSaid || event.text !== prompt) steps.add('user', prompt, event.ts);
      isAsked = true;
    }
    if (event.type === 'session') {
      session ??= event.session_id;
      if (start !== null && event.attempt !== start)
        steps.add('system', `start ${event.attempt}`, event.ts, { event: 'session', attempt: event.attempt });
      start = event.attempt;
    } else if (event.type === 'result') ended = withoutNulls({ ending: event.ending, exit_code: event.exit_code });
    else steps.read(event);
  }
  if (!isAsked) steps.add('user', prompt, run.started_at);
  const model = run.agent?.model_used ?? run.model;
  const all = steps.end(run.ended_at);
  return {
    schema_version: 'ATIF-v1.8',
    ...defined({ session_id: session }),
    trajectory_id: run.run_id,
    agent: { name: run.agent_name, version: run.agent?.version ?? 'unknown', model_name: model },
    steps: all,
    final_metrics: { ...finalMetrics(run), total_steps: all.length },
    extra: {
      ...ended,
      run_id: run.run_id,
      scenario: run.scenario.name,
      variant: run.variant,
      repetition: run.repetition,
      outcome: run.outcome,
      ...(run.agent === null ? {} : { agent_ending: run.agent.ending }),
    },
  };
}

/** The fields of an event that say where it stands. */
const PLACE: ReadonlySet<string> = new Set(['ts', 'seq', 'attempt']);

/** Collects steps. An answer of the model is one step, with its reasoning, its message and its calls of tools. */
function createSteps() {
  const steps: TrajectoryStep[] = [];
  const callers = new Map<string, TrajectoryStep>();
  let reasoning: string[] = [];
  /** The answer that further calls belong to, and the last one, which tokens belong to. */
  let open: TrajectoryStep | null = null;
  let last: TrajectoryStep | null = null;

  const add = (source: TrajectoryStep['source'], message: string, timestamp: string, extra?: Extra): TrajectoryStep => {
    if (source !== 'agent' && reasoning.length > 0) answer('', timestamp);
    const step = { step_id: steps.length + 1, timestamp, source, message, ...defined({ extra }) };
    steps.push(step);
    open = null;
    return step;
  };
  const answer = (message: string, timestamp: string): TrajectoryStep => {
    const step = add('agent', message, timestamp);
    if (reasoning.length > 0) step.reasoning_content = reasoning.join('\n\n');
    reasoning = [];
    open = last = step;
    return step;
  };
  const observe = (step: TrajectoryStep, result: NonNullable<TrajectoryStep['observation']>['results'][number]) => {
    step.observation ??= { results: [] };
    step.observation.results.push(result);
  };

  return {
    add,
    read(event: Exclude<RunEvent, { type: 'session' | 'result' }>): void {
      switch (event.type) {
        case 'message':
          if (event.role === 'assistant') answer(event.text, event.ts);
          else add(event.role, event.text, event.ts);
          return;
        case 'reasoning':
          open = null;
          reasoning.push(event.text);
          return;
        case 'tool_call': {
          const step = open ?? answer('', event.ts);
          (step.tool_calls ??= []).push(callOf(event));
          callers.set(event.id, step);
          return;
        }
        case 'tool_result': {
          const { id, output, exit_code, is_error, truncated, executed } = event;
          const extra = withoutNulls({ exit_code, is_error, truncated, executed: executed ?? null });
          const caller = callers.get(id);
          if (caller === undefined) observe(add('system', '', event.ts, { call: id }), { content: output, extra });
          else observe(caller, { source_call_id: id, content: output, extra });
          open = null;
          return;
        }
        case 'usage':
          // Usage before any answer, and the cost of a whole start, are part of the final metrics only.
          if (last !== null && event.cost_of_start !== true) last.metrics = sumOf(last.metrics, metricsOf(event));
          open = null;
          return;
        case 'mcp_call':
        case 'mcp_tools': {
          const step = steps.at(-1) ?? add('system', '', event.ts);
          const before = step.extra?.['mcp'];
          const record = Object.fromEntries(Object.entries(event).filter(([key]) => !PLACE.has(key)));
          step.extra = { ...step.extra, mcp: [...(Array.isArray(before) ? before : []), record] };
          return;
        }
        case 'error':
          add('system', event.message, event.ts, {
            event: event.type,
            ...withoutNulls({ retryable: event.retryable, status: event.status ?? null }),
          });
          return;
        case 'unknown':
          add('system', event.kind, event.ts, { event: event.type, ...withoutNulls({ lost: event.lost ?? null }) });
          return;
        case 'extension':
          add('system', event.output, event.ts, {
            ...{ event: event.type, kind: event.kind, name: event.name },
            ...withoutNulls({ exit_code: event.exit_code }),
          });
          return;
        case 'mcp_problem':
          add('system', event.message, event.ts, { event: event.type, server: event.server });
          return;
        case 'setup_command':
        case 'post_script': {
          const { command, stdout, stderr, exit_code, timed_out } = event;
          const extra = withoutNulls({ exit_code, timed_out });
          observe(add('system', command, event.ts, { event: event.type }), { content: stdout + stderr, extra });
        }
      }
    },
    end(timestamp: string): TrajectoryStep[] {
      if (reasoning.length > 0) answer('', timestamp);
      return steps;
    },
  };
}

function callOf({ id, name, input, command, executed }: Event<'tool_call'>) {
  const extra = withoutNulls({ command, executed: executed ?? null });
  return {
    tool_call_id: id,
    function_name: name,
    arguments: isJsonObject(input) ? input : input === null ? {} : { input },
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/**
 * Tokens as ATIF counts them: the prompt with what was read from a cache and written to one, the completion with the
 * reasoning. Agents that do not report reasoning or writes count them within the other numbers.
 */
export function tokensOf({ input, output, reasoning, cache_read: read, cache_write: written }: TokenUsage) {
  return {
    prompt: input === null || read === null ? null : input + read + (written ?? 0),
    completion: output === null ? null : output + (reasoning ?? 0),
    cached: read,
    extra: withoutNulls({ reasoning_tokens: reasoning, cache_write_tokens: written }),
  };
}

function metricsOf(usage: Event<'usage'>): StepMetrics {
  const { prompt, completion, cached, extra } = tokensOf(usage);
  return {
    ...withoutNulls({
      prompt_tokens: prompt,
      completion_tokens: completion,
      cached_tokens: cached,
      cost_usd: usage.cost_usd,
    }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Adds up the tokens of an answer. What one part does not say is unknown of the sum. */
function sumOf(before: StepMetrics | undefined, more: StepMetrics): StepMetrics {
  if (before === undefined) return more;
  const sum = (one: Extra, other: Extra): Extra =>
    Object.fromEntries(
      Object.entries(one).flatMap(([name, value]) => {
        const added = other[name];
        return typeof value === 'number' && typeof added === 'number' ? [[name, value + added]] : [];
      }),
    );
  const extra = sum(before.extra ?? {}, more.extra ?? {});
  return {
    ...sum({ ...before, extra: null }, { ...more, extra: null }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function finalMetrics({ agent }: RunRecord): Extra {
  if (agent === null) return {};
  const { prompt, completion, cached, extra } = tokensOf(agent.token_usage);
  const { token_usage_at_least: atLeast, cost_usd_at_least: costAtLeast } = agent;
  const more = {
    ...extra,
    ...(atLeast === undefined ? {} : { token_usage_at_least: atLeast as unknown as Json }),
    ...withoutNulls({ cost_usd_at_least: costAtLeast ?? null, cost_source: agent.cost_source }),
  };
  return {
    ...withoutNulls({
      total_prompt_tokens: prompt,
      total_completion_tokens: completion,
      total_cached_tokens: cached,
      total_cost_usd: agent.cost_usd,
    }),
    ...(Object.keys(more).length === 0 ? {} : { extra: more }),
  };
}

const withoutNulls = <T extends Record<string, Json>>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as never;
