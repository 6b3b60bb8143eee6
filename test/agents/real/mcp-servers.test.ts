import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../src/platform/process/wait-until.js';
import { connected } from '../../mcp-proxy/connected.js';
import { newFolder } from '../../platform/temporary.js';
import { provideMcpServer } from '../clis.js';

/** Speaks with a server through the proxy. */
function throughProxy(agent: Awaited<ReturnType<typeof connected>>): Transport {
  let seen = 0;
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message: JSONRPCMessage) => {
      agent.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    close: async () => {
      clearInterval(timer);
      await agent.close();
    },
  };
  const timer = setInterval(() => {
    const messages = agent.messages();
    for (const message of messages.slice(seen)) transport.onmessage?.(message as unknown as JSONRPCMessage);
    seen = messages.length;
  }, 5);
  return transport;
}

type Call = [tool: string, args: Record<string, unknown>];

/** The tools of a server, and the answers to these calls. */
async function answersOf(transport: Transport, calls: readonly Call[]): Promise<unknown[]> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const answers: unknown[] = [];
  for (const [name, args] of calls) answers.push(await client.callTool({ name, arguments: args }));
  await client.close();
  return [tools, ...answers];
}

const EVERYTHING: Call[] = [
  ['echo', { message: 'hi' }],
  ['get-sum', { a: 1, b: 2 }],
  ['get-structured-content', { location: 'New York' }],
  ['get-tiny-image', {}],
  ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ['trigger-long-running-operation', { duration: 1, steps: 3 }],
];
const env = { PATH: process.env['PATH'] ?? '' };

test.each([
  ['everything', ['stdio'], EVERYTHING],
  ['filesystem', ['/usr/share'], [['list_directory', { path: '/usr/share' }]]],
  ['memory', [], [['read_graph', {}]]],
] as [Parameters<typeof provideMcpServer>[1], string[], Call[]][])(
  'the real server %s answers through the proxy as it does without it, and has no problem',
  async (name, args, calls) => {
    const command = await provideMcpServer(console.log, name);
    const direct = await answersOf(new StdioClientTransport({ command, args, env, stderr: 'ignore' }), calls);
    const agent = await connected({ command, args, env: { ...env, HOME: await newFolder() } });
    expect(await answersOf(throughProxy(agent), calls)).toEqual(direct);
    expect(agent.problems()).toEqual([]);
    const answers = agent.lines.filter((line) => line.type === 'answer');
    expect(answers.map((line) => line.is_error)).toEqual(calls.map(() => false));
  },
);

test('the real server everything answers over HTTP through the proxy as it does without it, and has no problem', async () => {
  const command = await provideMcpServer(console.log);
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  const server = spawn(command, ['streamableHttp'], { env: { ...env, PORT: String(port) }, stdio: 'ignore' });
  onTestFinished(() => void server.kill());
  const url = `http://127.0.0.1:${port}/mcp`;
  await waitUntil(
    () =>
      fetch(url).then(
        () => true as const,
        () => null,
      ),
    60_000,
    50,
  );
  const direct = await answersOf(new StreamableHTTPClientTransport(new URL(url)), EVERYTHING);
  const agent = await connected({ url, headers: {} });
  expect(await answersOf(throughProxy(agent), EVERYTHING)).toEqual(direct);
  expect(agent.problems()).toEqual([]);
});
