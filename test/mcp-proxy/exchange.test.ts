import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { createExchange, type ExchangeOptions } from '../../src/mcp-proxy/exchange.js';
import { eventsOfRecords, type ProxyRecord } from '../../src/mcp-proxy/record.js';

/** An exchange whose clock advances by 5 ms with each look, and what it has recorded. */
function start(options: Partial<ExchangeOptions> = {}) {
  const lines: ProxyRecord[] = [{ type: 'started' }];
  let time = 0;
  const exchange = createExchange({
    record: (line) => void lines.push(line),
    nameOf: String,
    now: () => (time += 5),
    mockOf: () => null,
    sleep: () => Promise.resolve(),
    ...options,
  });
  const events = () =>
    eventsOfRecords('files', lines.map((line) => JSON.stringify({ at: 1, ...line })).join('\n'), 9).map(
      ({ event }) => event,
    );
  return { exchange, lines, events };
}

const request = (id: number, method: string, params = {}): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const callOf = (id: number, name: string, args = {}): JSONRPCMessage =>
  request(id, 'tools/call', { name, arguments: args });
const result = (id: number, value: Record<string, unknown>): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  result: value,
});
const LIST = [request(1, 'tools/list'), result(1, { tools: [{ name: 'read', inputSchema: {} }] })] as const;

it('records calls that answer out of order, with what each was given and answered', () => {
  const { exchange, events } = start();
  exchange.fromAgent(LIST[0]);
  exchange.fromServer(LIST[1]);
  expect(exchange.fromAgent(callOf(2, 'read', { path: 'a' }))).toMatchObject({ to: 'server' });
  exchange.fromAgent(callOf(3, 'read', { path: 'b' }));
  exchange.fromServer(result(3, { content: ['B'] }));
  exchange.fromServer({ jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no such file' } });
  expect(events()).toMatchObject([
    { type: 'mcp_tools', tools: [{ name: 'read', bytes: 32 }] },
    { arguments: { path: 'b' }, result: { content: ['B'] }, error: null, is_error: false, duration_ms: 5 },
    { arguments: { path: 'a' }, result: null, error: 'no such file', is_error: true, duration_ms: 15 },
  ]);
});

it('does not take requests of the server, or answers of the agent, for calls', () => {
  const { exchange, lines } = start();
  exchange.fromAgent(callOf(1, 'read'));
  // Both sides count their requests: this is another 1.
  exchange.fromServer(request(1, 'sampling/createMessage'));
  exchange.fromAgent(result(1, { role: 'assistant' }));
  expect(lines.map(({ type }) => type)).toEqual(['started', 'call']);
  exchange.fromServer(result(1, { content: [] }));
  expect(lines.map(({ type }) => type)).toEqual(['started', 'call', 'answer']);
});

it('records a call that was cancelled, that cannot be sent, and that never ends', () => {
  const { exchange, events } = start();
  exchange.fromAgent(LIST[0]);
  exchange.fromServer(LIST[1]);
  for (const [id, tool] of ['cancelled', 'unsent', 'endless'].entries()) exchange.fromAgent(callOf(id, tool));
  exchange.fromAgent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } });
  expect(exchange.failed(callOf(1, 'unsent'), 'nobody listens')).toMatchObject({
    id: 1,
    error: { message: 'nobody listens' },
  });
  expect(events().slice(1)).toMatchObject([
    { tool: 'cancelled', error: 'the agent cancelled the call', is_error: true },
    { tool: 'unsent', error: 'nobody listens', is_error: true },
    { tool: 'endless', error: 'the call had no answer when the agent ended', duration_ms: null },
  ]);
});

it('answers a mocked call after its delay, and does not pass it on', async () => {
  const slept: number[] = [];
  const { exchange, lines } = start({
    mockOf: (tool) => (tool === 'read' ? { delayMs: 70, result: { content: [], isError: true } } : null),
    sleep: (ms) => Promise.resolve(slept.push(ms)),
  });
  const step = exchange.fromAgent(callOf(1, 'read'));
  expect(step.to === 'agent' ? await step.answer : null).toEqual(result(1, { content: [], isError: true }));
  expect(slept).toEqual([70]);
  expect(lines.at(-1)).toMatchObject({ type: 'answer', mocked: true, is_error: true });
  expect(exchange.fromAgent(callOf(2, 'write')).to).toBe('server');
});

it.each([
  [null, 'the agent did not start this server'],
  ['', 'the agent did not start this server'],
  ['{"type":"started","at":1}\n', 'the agent ended before it knew the tools of this server'],
  [
    '{"type":"tools","at":1,"tools":[]}\n{"type":"call","at":1,"id"',
    'a part of what was recorded of it cannot be read',
  ],
])('what is missing in the record %j is a problem of the server', (text, message) => {
  expect(eventsOfRecords('files', text, 9).at(-1)).toEqual({
    at: 9,
    event: { type: 'mcp_problem', server: 'files', message },
  });
});
