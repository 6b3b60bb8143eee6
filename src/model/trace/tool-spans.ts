import type { Attributes, Span } from '#lib';
import type { EventBody, RunEvent } from '../records/events.js';
import { isFailedResult } from '../transcript/is-failed-result.js';

/** Some collectors refuse traces with more spans. */
const MAX_TOOLS = 5000;

type Call = Extract<EventBody, { type: 'tool_call' }>;
type Result = Extract<EventBody, { type: 'tool_result' }>;

/**
 * Collects the calls of tools, in bounded memory. `agents`: the spans of the agent's steps; a call belongs to the last one
 * that began before it. A call without a result ends with the step.
 */
export function createToolSpans(
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

function close(
  span: Span,
  { ts, exit_code, is_error, output }: Result & RunEvent,
  withContent: boolean,
): void {
  const more: Attributes = {
    ...(exit_code === null ? {} : { 'process.exit.code': exit_code }),
    ...(withContent ? { 'gen_ai.tool.call.result': output } : {}),
  };
  Object.assign(span.attributes, more);
  span.endedAt = Math.max(span.startedAt, Date.parse(ts));
  if (isFailedResult({ exit_code, is_error }))
    span.error = exit_code === null ? 'the call failed' : `exit ${exit_code}`;
}
