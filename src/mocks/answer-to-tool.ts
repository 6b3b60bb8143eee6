import { defined, isJsonObject, type Json } from '#lib';
import type { Call } from './call.js';
import { chanceMessage, chooseMock, type AnswerOptions, type MockChoice } from './choose-mock.js';
import type { McpMock } from './mcp-mock.js';
import type { Mock } from './mock.js';
import { isMcpMock, mockedName } from './mock-kinds.js';
import { fillJson } from './template.js';

/** A call of a tool of an MCP server. */
export interface ToolCall {
  server: string;
  tool: string;
  input: Json;
  context: { step: string; agent: string; scenario: string };
}

/** The result of a call, as MCP defines it. */
export interface ToolResult {
  [key: string]: Json;
  content: { type: 'text'; text: string }[];
}

/** Decides how a call of a tool is answered. */
export const answerToTool = (
  mocks: readonly Mock[],
  { server, tool, input, context }: ToolCall,
  options: AnswerOptions,
): MockChoice<ToolResult> => {
  const call: Call = { args: [], input, context };
  return chooseMock(
    mocks.flatMap((mock, index) =>
      isMcpMock(mock) && mock.mcp === server && mock.tool === tool ? [{ index, mock, call }] : [],
    ),
    options,
    ({ mock }, byChance) =>
      byChance
        ? failedResult(`${mockedName(mock)}: ${chanceMessage(mock.metadata.probability)}`)
        : resultOf(mock, call),
  );
};

/** The result of a call that fails. */
export const failedResult = (text: string): ToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
});

function resultOf({ error, response }: McpMock, call: Call): ToolResult {
  if (error !== undefined) return failedResult(`${error.code}: ${error.message}`);
  if (response === undefined) return { content: [] };
  const value = fillJson(response, call);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return {
    content: [{ type: 'text', text }],
    ...(isJsonObject(value) ? { structuredContent: value } : {}),
  };
}

/** The tools of a server for which mocks stand wholly, as an agent is told; null if the server itself is needed. */
export function mockedTools(mocks: readonly Mock[], server: string): { [key: string]: Json }[] | null {
  const own = mocks.filter(isMcpMock).filter(({ mcp }) => mcp === server);
  const tools = [...new Set(own.map(({ tool }) => tool))].map((name) => {
    const definition = own.find((mock) => mock.tool === name && mock.definition !== undefined)?.definition;
    if (definition === undefined) return null;
    const { description, input_schema } = definition;
    return { name, ...defined({ description }), inputSchema: input_schema };
  });
  const known = tools.filter((tool) => tool !== null);
  return known.length === 0 || known.length < tools.length ? null : known;
}
