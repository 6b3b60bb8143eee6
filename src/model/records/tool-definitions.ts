import { z } from 'zod';

/** Tools of the MCP servers under test, of which the agent was told. */
export const ToolDefinitions = z.object({
  count: z.number().int().describe('Number of tools'),
  bytes: z.number().int().describe('Bytes of their definitions as JSON'),
});
export type ToolDefinitions = z.infer<typeof ToolDefinitions>;
