import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Json, splitLines } from '#lib';
import type { mcpSettings } from './subject-files.js';

/** A tool's answer, as the mock agent reports it. */
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

type Program = NonNullable<ReturnType<typeof mcpSettings>>[string];

/** The mock agent has no limit of its own: the run has one. */
const TIMEOUT_MS = 2 ** 31 - 1;

/** Connects to all servers and requests their tools, as agents do when they start. */
export async function connectMcp(servers: NonNullable<ReturnType<typeof mcpSettings>>): Promise<MockMcp> {
  const clients = new Map<string, Client>();
  const problems = new Map<string, string>();
  for (const [name, program] of Object.entries(servers)) {
    const client = new Client({ name: 'mock', version: '1' });
    try {
      await client.connect(programTransport(program));
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

const textIn = (content: unknown): string =>
  (content as { text?: string }[]).map((part) => part.text ?? JSON.stringify(part)).join('\n');
