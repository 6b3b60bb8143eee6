import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseJson, type Json } from '../../../src/lib/json.js';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { connected } from './connected.js';

type Message = { [key: string]: Json };
interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  message: Message;
}

/** An HTTP server that answers as `answer` says, and what it was asked. */
async function serve(answer: (seen: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const message = (parseJson(body) ?? {}) as Message;
        const one = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body,
          message,
        };
        seen.push(one);
        answer(one, response);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

const json = (response: ServerResponse, value: unknown, status = 200, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
};
const CALL = { name: 'echo', arguments: { text: 'x' } };
const OK = { content: [{ type: 'text', text: 'ok' }] };
const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  serverInfo: { name: 's', version: '1' },
};
const META = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

/** A server as of 2025: with a session, and without the question which versions it speaks. */
const legacy = (message: Message, response: ServerResponse): void => {
  const { id = null, method } = message;
  if (method === 'initialize')
    json(response, { jsonrpc: '2.0', id, result: INITIALIZED }, 200, { 'mcp-session-id': 's-1' });
  else if (id === null) response.writeHead(202).end();
  else if (method === 'tools/call') json(response, { jsonrpc: '2.0', id, result: OK });
  else
    json(
      response,
      { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: Server not initialized' } },
      400,
    );
};

it('passes on the question which versions a server speaks with its headers, and takes a refusal for no problem', async () => {
  const { seen, url } = await serve(({ method, message }, response) =>
    method === 'POST' ? legacy(message, response) : response.writeHead(405).end(),
  );
  const agent = await connected({ url, headers: { Authorization: 'Bearer t' } });
  expect(await agent.ask(0, 'server/discover', META)).toEqual({
    jsonrpc: '2.0',
    id: 0,
    error: { code: -32000, message: 'Bad Request: Server not initialized' },
  });
  await agent.ask(1, 'initialize', { protocolVersion: '2025-06-18' });
  agent.tell('notifications/initialized');
  expect(await agent.ask(2, 'tools/call', CALL)).toMatchObject({ id: 2, result: OK });
  await agent.close();
  expect(agent.problems()).toEqual([]);
  const posts = seen.filter(({ method }) => method === 'POST');
  expect(posts.map(({ message }) => message['method'])).toEqual([
    ...['server/discover', 'initialize', 'notifications/initialized', 'tools/call'],
  ]);
  expect(posts[0]?.headers).toMatchObject({
    'mcp-method': 'server/discover',
    'mcp-protocol-version': '2026-07-28',
    authorization: 'Bearer t',
    accept: 'application/json, text/event-stream',
  });
  expect(posts[1]?.headers).not.toHaveProperty('mcp-protocol-version');
  expect(posts[3]?.headers).toMatchObject({ 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-06-18' });
  expect(posts[3]?.headers).not.toHaveProperty('mcp-method');
  // The stream for what the server says by itself was asked for, and the session ended.
  expect(seen.filter(({ method }) => method !== 'POST').map(({ method }) => method)).toEqual(['GET', 'DELETE']);
});

it('works with a server that speaks only 2026-07-28, and repeats in headers what its tools want there', async () => {
  const { seen, url } = await serve(({ headers, message }, response) => {
    const { id = null } = message;
    const method = message['method'] as string;
    const wrong = headers['mcp-method'] !== method || headers['mcp-protocol-version'] !== '2026-07-28';
    if (wrong) {
      json(response, { jsonrpc: '2.0', id, error: { code: -32020, message: 'Header mismatch' } }, 400);
      return;
    }
    const inputSchema = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        at: { type: 'object', properties: { day: { type: 'integer', 'x-mcp-header': 'Day' } } },
      },
    };
    const results: Record<string, Message> = {
      'server/discover': {
        supportedVersions: ['2026-07-28'],
        capabilities: {},
        ttlMs: 0,
        cacheScope: 'private',
      },
      'tools/list': { tools: [{ name: 'wörk', inputSchema }], ttlMs: 0, cacheScope: 'private' },
      'tools/call': OK,
    };
    json(response, { jsonrpc: '2.0', id, result: { resultType: 'complete', ...results[method] } });
  });
  const agent = await connected({ url, headers: {} });
  await agent.ask(0, 'server/discover', META);
  await agent.ask(1, 'tools/list', META);
  await agent.ask(2, 'tools/call', { name: 'wörk', arguments: { region: ' eu', at: { day: 7 } }, ...META });
  expect(agent.problems()).toEqual([]);
  expect(seen.at(-1)?.headers).toMatchObject({
    'mcp-name': `=?base64?${Buffer.from('wörk').toString('base64')}?=`,
    'mcp-param-region': `=?base64?${Buffer.from(' eu').toString('base64')}?=`,
    'mcp-param-day': '7',
  });
});

it('passes on what it sends and gets as it is', async () => {
  const answer =
    '{"jsonrpc":"2.0",\n "id": 1, "result":{"content":[],"n":12345678901234567890,"structuredContent":{"u":"\\u00e9"}}}';
  const { seen, url } = await serve((_, response) => json(response, answer));
  const agent = await connected({ url, headers: {} });
  const line =
    '{"jsonrpc":"2.0", "id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":1.0,"big":12345678901234567890}}}\n';
  agent.write(line);
  await waitUntil(() => agent.received().includes(10) || null, 20_000, 5);
  expect(seen[0]?.body).toBe(line);
  // A message has one line; between its parts, a line break is the same as a space.
  expect(agent.received().toString()).toBe(`${answer.replace('\n', ' ')}\n`);
});

it.each(['application/json', 'text/event-stream'])('passes on an answer of 100 MB in %s', async (type) => {
  const answer = Buffer.from(
    `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${'h'.repeat(100e6)}"}]}}`,
  );
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': type });
    if (type === 'application/json') response.end(answer);
    else response.end(Buffer.concat([Buffer.from('data: '), answer, Buffer.from('\n\n')]));
  });
  const agent = await connected({ url, headers: {} });
  agent.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}\n');
  await waitUntil(() => agent.lines.some(({ type }) => type === 'answer') || null, 60_000, 20);
  await waitUntil(() => agent.received().at(-1) === 10 || null, 60_000, 50);
  expect(agent.received().subarray(0, -1).equals(answer)).toBe(true);
  expect(agent.problems()).toEqual([]);
});

it('gives all messages of a stream to the agent, and continues a stream that the server has closed before the answer', async () => {
  const { seen, url } = await serve(({ method, headers }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (method === 'POST') {
      response.write('id: e1\r\nretry: 10\r\ndata:\r\n\r\n: a comment\r\n');
      response.end(
        'data: {"jsonrpc":"2.0","method":"notifications/message",\r\ndata: "params":{"level":"info","data":1}}\r\n\r\n',
      );
    } else if (headers['last-event-id'] === 'e1')
      response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: OK })}\n\n`);
  });
  const agent = await connected({ url, headers: {} });
  expect(await agent.ask(1, 'tools/call', CALL)).toMatchObject({ result: OK });
  expect(agent.messages()[0]).toMatchObject({ method: 'notifications/message' });
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
  expect(agent.problems()).toEqual([]);
});

it('a server that breaks off its answer, or refuses a message, has a problem, and the agent is told', async () => {
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    (response) => json(response, 'it broke', 500),
    (response) => response.destroy(),
    (response) => json(response, 'who are you?', 401),
    (response) => void response.writeHead(202).end(),
  ];
  const { url } = await serve((_, response) => answers.shift()?.(response));
  const agent = await connected({ url, headers: {} });
  for (const id of [0, 1, 2, 3, 4])
    expect(await agent.ask(id, 'tools/call', CALL)).toHaveProperty('error.code', -32000);
  expect(agent.problems()).toEqual([
    'the server ended its answer to tools/call without a result',
    'the server answered tools/call with HTTP 500 Internal Server Error: it broke',
    'files cannot be reached: socket hang up',
    'the server answered tools/call with HTTP 401 Unauthorized: who are you?; give what it asks for in headers',
    'the server ended its answer to tools/call without a result',
  ]);
});

it('an error that the server explains is one of the call, not a problem of the server', async () => {
  const { url } = await serve(({ message }, response) =>
    json(
      response,
      { jsonrpc: '2.0', id: message['id'] ?? null, error: { code: -32602, message: 'no such tool' } },
      404,
    ),
  );
  const agent = await connected({ url, headers: {} });
  await agent.ask(1, 'tools/call', CALL);
  expect(agent.problems()).toEqual([]);
  expect(agent.lines.at(-1)).toMatchObject({ type: 'answer', is_error: true, error: 'no such tool' });
});

it('follows a redirect to another path of the same server', async () => {
  const { seen, url } = await serve(({ path, message }, response) =>
    path === '/mcp' ? void response.writeHead(307, { location: '/mcp/' }).end() : legacy(message, response),
  );
  const agent = await connected({ url, headers: {} });
  expect(await agent.ask(1, 'tools/call', CALL)).toMatchObject({ result: OK });
  expect(seen.map(({ path, body }) => [path, body.length > 0])).toEqual([
    ['/mcp', true],
    ['/mcp/', true],
  ]);
});

it('says of a server that speaks only HTTP with SSE how it can be reached', async () => {
  const { url } = await serve(({ method }, response) => {
    if (method !== 'GET') return void response.writeHead(405).end('Method Not Allowed');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /messages?id=1\n\n');
  });
  const agent = await connected({ url, headers: {} });
  await agent.ask(1, 'initialize', { protocolVersion: '2025-06-18' });
  expect(agent.problems()[0]).toContain('HTTP 405 Method Not Allowed');
  expect(agent.problems()[0]).toContain('give the address of its streamable HTTP endpoint');
});

it('sends what follows a notification after it, and calls at the same time', async () => {
  const held: (() => void)[] = [];
  const { seen, url } = await serve(({ method, message }, response) => {
    if (method !== 'POST') return void response.writeHead(405).end();
    if (message['method'] === 'notifications/initialized' || message['id'] === 1)
      held.push(() => legacy(message, response));
    else legacy(message, response);
  });
  const agent = await connected({ url, headers: {} });
  agent.tell('notifications/initialized');
  const both = [agent.ask(1, 'tools/call', CALL), agent.ask(2, 'tools/call', CALL)];
  await waitUntil(() => held.length === 1 || null, 20_000, 5);
  expect(seen).toHaveLength(1);
  held[0]?.();
  expect(await both[1]).toMatchObject({ id: 2 });
  held[1]?.();
  expect(await both[0]).toMatchObject({ id: 1 });
});

it('in 2026-07-28, a call that the agent cancels is cancelled by the end of its request', async () => {
  const closed: boolean[] = [];
  const { url, seen } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': wait\n\n');
    response.once('close', () => closed.push(true));
  });
  const agent = await connected({ url, headers: {} });
  agent.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...CALL, ...META } })}\n`);
  await waitUntil(() => seen.length === 1 || null, 20_000, 5);
  agent.tell('notifications/cancelled', { requestId: 1, ...META });
  await waitUntil(() => closed.length === 1 || null, 20_000, 5);
  expect(seen).toHaveLength(1);
  expect(agent.problems()).toEqual([]);
});
