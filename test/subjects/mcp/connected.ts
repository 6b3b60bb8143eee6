import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { isJsonObject, parseJson, type Json } from '../../../src/lib/json.js';
import { waitUntil } from '../../../src/host/process/waiting.js';
import type { McpConnection, ProxyFile } from '../../../src/subjects/mcp/proxy-file.js';
import type { ProxyRecord } from '../../../src/subjects/mcp/record.js';
import { serveAgent } from '../../../src/subjects/mcp/serve-agent.js';
import { newFolder } from '../../host/temporary.js';

type Message = { [key: string]: Json };

/** The input of the proxy of a server. */
export const proxyFile = (connection: McpConnection, calls: string, mocks: ProxyFile['mocks'] = []): ProxyFile => ({
  server: 'files',
  connection,
  records: '',
  workspace: process.cwd(),
  socket: '',
  mocks,
  calls,
  seed: 's',
  agent: 'mock',
  scenario: 'a',
  step: 'agent',
});

/** An agent that is connected with a server by the proxy: what it sends and gets, and what is recorded. */
export async function connected(connection: McpConnection, mocks: ProxyFile['mocks'] = []) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: ProxyRecord[] = [];
  const chunks: Buffer[] = [];
  output.on('data', (chunk: Buffer) => chunks.push(chunk));
  const file = proxyFile(connection, await newFolder(), mocks);
  const over = serveAgent(file, { input, output, name: '1', record: (line) => void lines.push(line) });
  onTestFinished(async () => {
    input.end();
    await over;
  });
  const received = (): Buffer => Buffer.concat(chunks);
  const messages = (): Message[] =>
    received()
      .toString()
      .split('\n')
      .map((line) => parseJson(line))
      .filter(isJsonObject);
  return {
    lines,
    received,
    messages,
    write: (text: string | Buffer) => void input.write(text),
    /** Sends a request, and waits for its answer. */
    ask: async (id: Json, method: string, params: Message = {}): Promise<Message> => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      const answer = await waitUntil(
        () => messages().find((one) => one['id'] === id && !('method' in one)) ?? null,
        20_000,
        5,
      );
      if (answer === null) throw new Error(`${method} has no answer; received ${received().toString()}`);
      return answer;
    },
    tell: (method: string, params: Message = {}) =>
      void input.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`),
    problems: () => lines.flatMap((line) => (line.type === 'problem' ? [line.message] : [])),
    /** The agent closes the connection. Resolves when it is closed. */
    close: async () => {
      input.end();
      return over;
    },
    over,
  };
}
