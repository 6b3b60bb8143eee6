import { beginningOf, type Json } from '#lib/pure';
import type { McpEvent } from '../records/mcp-events.js';
import type { ToolDefinitions } from '../records/tool-definitions.js';

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
