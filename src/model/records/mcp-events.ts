import { z } from 'zod';
import { JsonValue } from './quantities.js';
import { KeptText } from './redact-fields.js';

const server = KeptText.describe('Name of the server in the scenario');

/** The events of the MCP servers under test, which the proxy between agent and server records. */
export const recordedOfMcp = [
  z
    .object({
      type: z.literal('mcp_call'),
      server,
      tool: z.string().describe('Name of the tool, as the server calls it'),
      arguments: JsonValue.describe('Arguments of the call'),
      result: JsonValue.describe('What the server answered; null: nothing, or an error of the protocol'),
      error: z
        .string()
        .nullable()
        .describe(
          'The error of the protocol, what a client refuses in the answer, or that there was none when the agent ended; null: none',
        ),
      is_error: z.boolean().describe('Whether the call failed, by its result or by the protocol'),
      duration_ms: z.int().nullable().describe('Milliseconds until the answer; null: there was none'),
      mocked: z.boolean().describe('Whether a mock answered'),
    })
    .describe('A finished call of a tool of an MCP server under test'),
  z
    .object({
      type: z.literal('mcp_tools'),
      server,
      tools: z
        .array(
          z.object({
            name: z.string().describe('Name of the tool'),
            bytes: z.int().describe('Bytes of its definition as JSON'),
          }),
        )
        .describe('The tools, as the agent was told'),
    })
    .describe('A list of tools that the agent requested; a server may answer in several parts'),
  z
    .object({
      type: z.literal('mcp_problem'),
      server,
      message: z.string().describe('What is wrong'),
      limit: z
        .literal(true)
        .exactOptional()
        .describe('Set if the server did nothing wrong: a limit of llm-tool-test was reached'),
    })
    .describe(
      'The server could not be started or reached, ended early, was not started by the agent, or sent what clients refuse',
    ),
] as const;

/** Tools of the MCP servers under test, of which the agent was told. */
export const ToolDefinitions = z.object({
  count: z.int().describe('Number of tools'),
  bytes: z.int().describe('Bytes of their definitions as JSON'),
});
export type ToolDefinitions = z.infer<typeof ToolDefinitions>;

export type McpEvent = z.infer<(typeof recordedOfMcp)[number]>;
