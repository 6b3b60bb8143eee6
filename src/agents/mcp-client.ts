import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Json, splitLines } from '#lib';
import type { mcpSettings } from './subject-files.js';

/** A tool's answer, as text. */
export interface ServerAnswer {
  isError: boolean;
  text: string;
}

/** A tool of an MCP server, with its arguments as a JSON schema. */
export interface ServerTool {
  server: string;
  tool: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** MCP servers that an agent of our own is connected with. */
export interface McpClients {
  /** The tools of the servers that could be reached. */
  tools: ServerTool[];
  /** Calls a tool. A server that is not there or cannot be reached is an answer too. */
  call(server: string, tool: string, args: Json): Promise<ServerAnswer>;
  close(): Promise<void>;
}

type Program = NonNullable<ReturnType<typeof mcpSettings>>[string];

/** Our agents have no limit of their own: the run has one. */
const TIMEOUT_MS = 2 ** 31 - 1;

/** Connects to all servers and requests their tools, as agents do when they start. */
export async function connectMcp(servers: NonNullable<ReturnType<typeof mcpSettings>>): Promise<McpClients> {
  const tools: ServerTool[] = [];
  const clients = new Map<string, Client>();
  const problems = new Map<string, string>();
  for (const [name, program] of Object.entries(servers)) {
    const client = new Client({ name: 'llm-tool-test', version: '1' });
    try {
      await client.connect(programTransport(program));
      if (client.getServerCapabilities()?.tools !== undefined) tools.push(...(await toolsOf(name, client)));
      clients.set(name, client);
    } catch (error) {
      problems.set(name, String(error));
    }
  }
  return {
    tools,
    async call(server, tool, args) {
      const client = clients.get(server);
      if (client === undefined)
        return { isError: true, text: problems.get(server) ?? `there is no MCP server ${server}` };
      try {
        const params = { name: tool, arguments: args as Record<string, Json> };
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

async function toolsOf(server: string, client: Client): Promise<ServerTool[]> {
  const found: ServerTool[] = [];
  const asked = new Set<string | undefined>();
  for (let cursor: string | undefined; !asked.has(cursor);) {
    asked.add(cursor);
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description = '', inputSchema } of tools)
      found.push({ server, tool: name, description, inputSchema });
    cursor = nextCursor;
  }
  return found;
}

/**
 * Speaks stdio with a program. The SDK's own transport refuses answers of more than 10 MiB, and becomes slow before.
 */
function programTransport({ command, args, env }: Program): Transport {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        child.once('spawn', resolve).once('error', reject);
      }),
    send: (message) => {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    close: () => {
      child.stdin.end();
      return closed;
    },
  };
  const lines = splitLines(({ parts }) => {
    try {
      transport.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(Buffer.concat(parts).toString())));
    } catch (error) {
      transport.onerror?.(error as Error);
    }
  });
  child.stdout.on('data', (chunk: Buffer) => lines.add(chunk));
  void closed.then(() => transport.onclose?.());
  return transport;
}

interface Part {
  type: string;
  text?: string;
  mimeType?: string;
  resource?: { text?: string };
}

const textIn = (content: unknown): string =>
  (content as Part[])
    .map(({ type, text, mimeType, resource, ...other }) => {
      const words = text ?? resource?.text;
      if (words !== undefined) return words;
      return mimeType === undefined ? JSON.stringify({ type, ...other }) : `(${type}: ${mimeType})`;
    })
    .join('\n');
