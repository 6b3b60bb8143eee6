import { z } from 'zod';
import type { RecordedTrajectory } from '../transcript/trajectory.js';
import { totalTokens, type TokenUsage } from './token-usage.js';

/** How much an agent did, in a few numbers and names, so that many runs can be compared without reading their events. */
export const AgentWork = z.object({
  tokens: z.number().int().nullable().describe('Tokens of all kinds together; null: unknown'),
  tool_calls: z.number().int().nullable().describe('Calls of tools; null: unknown'),
  actions: z
    .array(z.string())
    .nullable()
    .describe('Names of the called tools in order, at most 100, then … if there were more; null: unknown'),
});
export type AgentWork = z.infer<typeof AgentWork>;

/** Returns what is known of an agent's work. Plain text shows no calls of tools, so they are unknown, not none. */
export function agentWork(trajectory: RecordedTrajectory | null, tokens: TokenUsage): AgentWork {
  const isKnown = trajectory?.structured === true && trajectory.unread !== true;
  return {
    tokens: totalTokens(tokens),
    tool_calls: isKnown ? Object.values(trajectory.tools).reduce((sum, calls) => sum + calls, 0) : null,
    actions: isKnown ? (trajectory.actions ?? null) : null,
  };
}
