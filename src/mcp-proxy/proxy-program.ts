import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { mockedTools } from '../mocks/answer-to-tool.js';
import { connect } from './connect.js';
import { createExchange } from './exchange.js';
import { mockedCall } from './mocked-call.js';
import { mockedServer } from './mocked-server.js';
import type { ProxyFile } from './proxy-file.js';
import type { ProxyRecord } from './record.js';

/*
 * The proxy between an agent and an MCP server under test: `node proxy-program.js FILE`, started by the agent, which takes it for
 * the server. It passes messages on unchanged, and records calls in a file, so that the record outlives any process.
 */

const file = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ProxyFile;
const { server: name, records, connection, mocks } = file;
const tools = mockedTools(mocks, name);

mkdirSync(dirname(records), { recursive: true, mode: 0o700 });
// Each line by one write at the end of the file: several proxies may record there.
const record = (line: ProxyRecord): void =>
  appendFileSync(records, `${JSON.stringify({ at: Date.now(), ...line })}\n`, { mode: 0o600 });
record({ type: 'started' });

const exchange = createExchange({
  record,
  nameOf: (count) => `${process.pid}-${count}`,
  now: () => performance.now(),
  mockOf: (tool, args) => mockedCall(file, tools !== null, tool, args),
  sleep,
});
const agent = new StdioServerTransport();
const server = tools === null ? connect(connection) : mockedServer(name, tools);
let isOver = false;

/** Ends this process, the server with it. `problem`: why, unless the agent has ended the connection. */
async function end(problem: string | null): Promise<void> {
  if (isOver) return;
  isOver = true;
  exchange.end(problem ?? 'the agent closed the connection');
  if (problem !== null) record({ type: 'problem', message: problem });
  await server.close().catch(() => undefined);
  process.exit(problem === null ? 0 : 1);
}

const tell = (message: JSONRPCMessage): Promise<void> => agent.send(message).catch(() => end(null));

agent.onmessage = (message) => {
  const step = exchange.fromAgent(message);
  if (step.to === 'agent') void step.answer.then(tell);
  else
    server.send(step.message).catch(async (error: unknown) => {
      const why = `${name} cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
      record({ type: 'problem', message: why });
      const answer = exchange.failed(step.message, why);
      if (answer !== null) await tell(answer);
    });
};
server.onmessage = (message) => {
  exchange.fromServer(message);
  void tell(message);
};
server.onclose = () => void end('the server ended before the agent');
process.stdin.on('end', () => void end(null)).on('close', () => void end(null));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end(null));

try {
  await server.start();
  await agent.start();
} catch (error) {
  await end(`the server could not be started: ${error instanceof Error ? error.message : String(error)}`);
}
