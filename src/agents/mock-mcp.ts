import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Json } from '../lib/json.js';
import type { mcpSettings } from './mcp-settings.js';

/** What a tool answered, as the mock agent reports it. */
interface Answer {
  isError: boolean;
  text: string;
}

/** The MCP servers of the mock agent, connected. */
export interface MockMcp {
  /** Calls a tool. A server that is not there or cannot be reached is an answer too. */
  call(server: string, tool: string, args: Record<string, Json>): Promise<Answer>;
  close(): Promise<void>;
}

/** The mock agent has no limit of its own: the run has one. */
const TIMEOUT_MS = 2 ** 31 - 1;

/** Connects to all servers and requests their tools, as agents do when they start. */
export async function connectMcp(servers: NonNullable<ReturnType<typeof mcpSettings>>): Promise<MockMcp> {
  const clients = new Map<string, Client>();
  const problems = new Map<string, string>();
  for (const [name, program] of Object.entries(servers)) {
    const client = new Client({ name: 'mock', version: '1' });
    try {
      await client.connect(new StdioClientTransport({ ...program, stderr: 'inherit' }));
      if (client.getServerCapabilities()?.tools !== undefined) await client.listTools();
      clients.set(name, client);
    } catch (error) {
      problems.set(name, String(error));
    }
  }
  return {
    async call(server, tool, args) {
      const client = clients.get(server);
      if (client === undefined)
        return { isError: true, text: problems.get(server) ?? `there is no MCP server ${server}` };
      try {
        const params = { name: tool, arguments: args };
        const { content, isError } = await client.callTool(params, undefined, { timeout: TIMEOUT_MS });
        return { isError: isError === true, text: textIn(content) };
      } catch (error) {
        return { isError: true, text: String(error) };
      }
    },
    close: async () => {
      for (const client of clients.values()) await client.close();
    },
  };
}

const textIn = (content: unknown): string =>
  (content as { text?: string }[]).map((part) => part.text ?? JSON.stringify(part)).join('\n');
