import { canonicalJson } from '#lib/pure';
import type { EventBody, RunEvent } from '../records/events.js';

type AgentCall = Extract<EventBody, { type: 'tool_call' }> & RunEvent;
type McpCall = Extract<EventBody, { type: 'mcp_call' }> & RunEvent;

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
  const recorded = events.filter((event): event is McpCall => event.type === 'mcp_call');
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

  function pairBy(keyOf: (name: string, args: unknown) => string, namesOf: (call: McpCall) => string[]): void {
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
