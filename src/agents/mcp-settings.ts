import type { AgentRequest } from './agent.js';

/**
 * The MCP servers under test in the form that most agents share: by name, with command, arguments and variables. Null if
 * there are none.
 */
export function mcpSettings({
  mcpServers = [],
}: Pick<AgentRequest, 'mcpServers'>): Record<
  string,
  { command: string; args: string[]; env: Record<string, string> }
> | null {
  if (mcpServers.length === 0) return null;
  return Object.fromEntries(mcpServers.map(({ name, ...program }) => [name, program]));
}
