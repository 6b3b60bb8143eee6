import { beginningOf, canonicalJson, type Json } from '#lib/pure';
import type { EventBody, RunEvent } from '../records/events.js';
import type { McpEvent, ToolDefinitions } from '../records/mcp-events.js';

/** True if the proxy of an MCP server under test has recorded the event, which the agent's output does not contain. */
export const isOfProxy = <Event extends EventBody>(event: Event): event is Event & McpEvent =>
  event.type.startsWith('mcp_');

/** A call of an MCP server under test, without its result. */
export interface McpCall {
  server: string;
  tool: string;
  arguments: Json;
  is_error: boolean;
  /** The reason why it failed, cut; null if it did not. */
  why: string | null;
}

/** The record of an agent's use of the MCP servers under test. */
export interface McpRecord {
  /** In the order in which they ended. If there are very many, only the first ones. */
  calls: McpCall[];
  /** Number of calls, including those that were not kept. */
  callCount: number;
  /** The problems of servers. */
  problems: { server: string; message: string; limit?: true }[];
  /** The tools that the agent was told of, and the bytes of their definitions. Absent: of none. */
  tools?: ToolDefinitions;
}

const MAX_CALLS = 1000;
/** More text of arguments is not kept: the record is in memory at once. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_PROBLEMS = 100;
const MAX_TOOLS = 10_000;
const WHY_LENGTH = 300;

/** Collects what happened with MCP servers, in bounded memory. */
export function createMcpCollector(): { add(event: McpEvent): void; end(): McpRecord } {
  const record: McpRecord = { calls: [], callCount: 0, problems: [] };
  let characters = 0;
  /** Bytes by server and name: an agent may ask for a list several times. */
  const tools = new Map<string, number>();
  return {
    add(event) {
      if (event.type === 'mcp_call') {
        record.callCount += 1;
        characters += JSON.stringify(event.arguments).length;
        if (record.callCount > MAX_CALLS || characters > MAX_CHARACTERS) return;
        const { server, tool, arguments: args, is_error } = event;
        const why = is_error ? beginningOf(event.error ?? mcpResultText(event.result), WHY_LENGTH) : null;
        record.calls.push({ server, tool, arguments: args, is_error, why });
      } else if (event.type === 'mcp_problem' && record.problems.length < MAX_PROBLEMS)
        record.problems.push({
          server: event.server,
          message: event.message,
          ...(event.limit === true ? { limit: true } : {}),
        });
      else if (event.type === 'mcp_tools' && tools.size < MAX_TOOLS)
        for (const { name, bytes } of event.tools) tools.set(JSON.stringify([event.server, name]), bytes);
    },
    end: () => (tools.size === 0 ? record : { ...record, tools: totalOf(tools) }),
  };
}

const totalOf = (tools: ReadonlyMap<string, number>): ToolDefinitions => ({
  count: tools.size,
  bytes: [...tools.values()].reduce((sum, bytes) => sum + bytes, 0),
});

/** The text in the result of a call; its JSON if there is none. */
export function mcpResultText(result: Json): string {
  const { content } = (result ?? {}) as { content?: unknown };
  const parts = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length === 0 ? JSON.stringify(result) : texts.join('\n');
}

type AgentCall = Extract<EventBody, { type: 'tool_call' }> & RunEvent;
type RecordedCall = Extract<EventBody, { type: 'mcp_call' }> & RunEvent;

/**
 * The letters and digits of a name: agents write the name of a tool as `mcp__files__read`, `files_read` or
 * `files.read`.
 */
const simplified = (name: string): string => name.replace(/[^a-z0-9]+/gi, '_').toLowerCase();

/**
 * Finds the agent's own call for each call that the proxy of an MCP server has recorded: it is the same call, seen from
 * two sides. Returns the `seq` of the agent's call by that of the recorded one. Calls with the same arguments belong
 * together; of the others, those of the same tool in their order, since an agent may report other arguments than it
 * sends.
 */
export function pairMcpCalls(events: readonly RunEvent[]): Map<number, number> {
  const calls = events.filter((event): event is AgentCall => event.type === 'tool_call');
  const recorded = events.filter((event): event is RecordedCall => event.type === 'mcp_call');
  const pairs = new Map<number, number>();
  if (recorded.length === 0) return pairs;
  const sameArguments = (name: string, args: unknown): string => `${name} ${canonicalJson(args)}`;
  pairBy(sameArguments, ({ server, tool }) => [`mcp_${server}_${tool}`, `${server}_${tool}`, tool]);
  // A tool of the agent itself may have the name of the server's tool.
  pairBy(
    (name) => name,
    ({ server, tool }) => [`mcp_${server}_${tool}`, `${server}_${tool}`],
  );
  return pairs;

  function pairBy(keyOf: (name: string, args: unknown) => string, namesOf: (call: RecordedCall) => string[]): void {
    const paired = new Set(pairs.values());
    const open = new Map<string, number[]>();
    for (const { attempt, name, input, seq } of calls.filter((call) => !paired.has(call.seq))) {
      const key = `${attempt} ${keyOf(simplified(name), input)}`;
      const queue = open.get(key);
      if (queue === undefined) open.set(key, [seq]);
      else queue.push(seq);
    }
    for (const call of recorded.filter(({ seq }) => !pairs.has(seq)))
      for (const name of namesOf(call)) {
        const seq = open.get(`${call.attempt} ${keyOf(simplified(name), call.arguments)}`)?.shift();
        if (seq === undefined) continue;
        pairs.set(call.seq, seq);
        break;
      }
  }
}
