import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { REPOSITORY } from '../../commands/project.js';
import { connected } from '../../subjects/mcp/connected.js';
import { newFolder } from '../../host/temporary.js';
import { provideMcpServer, providePython } from '../clis.js';

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
const LIST: Call[] = [['list_directory', { path: '/usr/share' }]];
const GRAPH: Call[] = [['read_graph', {}]];
const TIME: Call[] = [['convert_time', { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' }]];
const LOG: Call[] = [['git_log', { repo_path: REPOSITORY, max_count: 1 }]];

/** Packages of the Python SDK, and of servers that use it. Some of them need versions of it that exclude each other. */
const SDK = 'mcp==2.3.0';
const ofPython = (name: string) => () =>
  providePython(SDK, `mcp-server-${name}==2026.10.19`).then((python) => [...python, '-m', `mcp_server_${name}`]);
const ofNode =
  (name: Parameters<typeof provideMcpServer>[1], ...args: string[]) =>
  async () => [await provideMcpServer(console.log, name), ...args];

const env = { PATH: process.env['PATH'] ?? '' };

test.each<[string, () => Promise<string[]>, Call[]]>([
  ['everything', ofNode('everything', 'stdio'), EVERYTHING],
  ['filesystem', ofNode('filesystem', '/usr/share'), LIST],
  ['memory', ofNode('memory'), GRAPH],
  ['time', ofPython('time'), TIME],
  ['git', ofPython('git'), LOG],
])(
  'the real server %s answers through the proxy as it does without it, and has no problem',
  async (_, provide, calls) => {
    const [command = '', ...args] = await provide();
    const direct = await answersOf(new StdioClientTransport({ command, args, env, stderr: 'ignore' }), calls);
    const agent = await connected({ command, args, env: { ...env, HOME: await newFolder() } });
    expect(await answersOf(throughProxy(agent), calls)).toEqual(direct);
    expect(agent.problems()).toEqual([]);
    const answers = agent.lines.filter((line) => line.type === 'answer');
    expect(answers.map((line) => line.is_error)).toEqual(calls.map(() => false));
  },
);

/** Servers that listen on a port. */
const LISTENING: [string, (port: string) => Promise<string[]>, Call[]][] = [
  [
    'everything',
    async (port) => ['env', `PORT=${port}`, ...(await ofNode('everything', 'streamableHttp')())],
    EVERYTHING,
  ],
  [
    'filesystem, by supergateway',
    async (port) => {
      const [filesystem, gateway] = [await ofNode('filesystem', '/usr/share')(), await ofNode('supergateway')()];
      return [...gateway, '--stdio', filesystem.join(' '), '--outputTransport', 'streamableHttp', '--port', port];
    },
    LIST,
  ],
  [
    'memory, by mcp-proxy',
    async (port) => {
      const python = await providePython('mcp==1.30.0', 'mcp-proxy==0.13.0');
      return [...python, '-m', 'mcp_proxy', '--port', port, '--pass-environment', ...(await ofNode('memory')())];
    },
    GRAPH,
  ],
  [
    'of the Python SDK',
    async (port) => [...(await providePython(SDK)), join(REPOSITORY, 'test/mcp/sdk-server.py'), port],
    [['echo', { text: 'hi' }]],
  ],
];

test.each(LISTENING)(
  'the real server %s answers over HTTP through the proxy as it does without it, and has no problem',
  async (_, provide, calls) => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    const [command = '', ...args] = await provide(String(port));
    const server = spawn(command, args, { env, stdio: 'ignore', detached: true });
    onTestFinished(() => void process.kill(-(server.pid as number), 'SIGKILL'));
    const url = `http://127.0.0.1:${port}/mcp`;
    await waitUntil(
      () =>
        fetch(url, { method: 'POST' }).then(
          () => true as const,
          () => null,
        ),
      60_000,
      50,
    );
    const direct = await answersOf(new StreamableHTTPClientTransport(new URL(url)), calls);
    const agent = await connected({ url, headers: {} });
    expect(await answersOf(throughProxy(agent), calls)).toEqual(direct);
    expect(agent.problems()).toEqual([]);
  },
);
