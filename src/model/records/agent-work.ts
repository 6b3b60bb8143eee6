import { z } from 'zod';
import type { RecordedTrajectory } from '../transcript/trajectory.js';
import { Count } from './quantities.js';
import { ToolDefinitions } from './mcp-events.js';
import { totalTokens, type TokenUsage } from './token-usage.js';

/** The size of the first request of a session to its model, which is what is in the context before the first turn. */
export const FirstRequest = z.object({
  tokens: Count.nullable()

    .describe('Tokens that the model was sent, with those read from a cache or written to it; null: unknown'),
  unknown: z.string().exactOptional().describe('Why they are unknown'),
});
export type FirstRequest = z.infer<typeof FirstRequest>;

/** A first request of unknown size. */
export const unknownRequest = (why: string): FirstRequest => ({ tokens: null, unknown: why });

/** The work of an agent, in a few numbers and names, so that many runs can be compared without reading their events. */
export const AgentWork = z.object({
  tokens: Count.nullable().describe('Tokens of all kinds together; null: unknown'),
  first_request_tokens: Count.nullable()

    .exactOptional()
    .describe(
      'Tokens of the first request to the model, which include the subject; null: unknown; absent: the agent does not say',
    ),
  mcp_tools: ToolDefinitions.exactOptional().describe(
    'Tools of the MCP servers under test, of which the agent was told; absent: none',
  ),
  tool_calls: Count.nullable().describe('Calls of tools; null: unknown'),
  actions: z
    .array(z.string())
    .nullable()
    .describe('Names of the called tools in order, at most 100, then … if there were more; null: unknown'),
});
export type AgentWork = z.infer<typeof AgentWork>;

/** Returns what is known of an agent's work. Plain text shows no calls of tools, so they are unknown, not none. */
export function agentWork(trajectory: RecordedTrajectory | null, tokens: TokenUsage, first?: FirstRequest): AgentWork {
  const isKnown =
    trajectory?.structured === true && trajectory.unread !== true && trajectory.unseen?.calls === undefined;
  return {
    tokens: totalTokens(tokens),
    ...(first === undefined ? {} : { first_request_tokens: first.tokens }),
    ...(trajectory?.mcp.tools === undefined ? {} : { mcp_tools: trajectory.mcp.tools }),
    tool_calls: isKnown ? Object.values(trajectory.tools).reduce((sum, calls) => sum + calls, 0) : null,
    actions: isKnown ? trajectory.actions : null,
  };
}
