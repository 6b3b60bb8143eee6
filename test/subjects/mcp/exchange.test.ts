import { expect, it } from 'vitest';
import type { Json } from '../../../src/lib/json.js';
import { splitLines } from '../../../src/lib/split-lines.js';
import { createExchange, type ExchangeOptions } from '../../../src/subjects/mcp/exchange.js';
import { createProtocolChecks } from '../../../src/subjects/mcp/protocol-problem.js';
import { eventsOfRecords, type ProxyRecord } from '../../../src/subjects/mcp/record.js';

type Message = { [key: string]: Json };

const checks = createProtocolChecks();

/**
 * An exchange whose clock advances by 5 ms with each look, and what it has recorded. `limit`: of the lines that are
 * read.
 */
function start(options: Partial<ExchangeOptions> = {}, limit = Infinity) {
  const lines: ProxyRecord[] = [{ type: 'started' }];
  let time = 0;
  const exchange = createExchange({
    record: (line) => void lines.push(line),
    nameOf: String,
    now: () => (time += 5),
    mockOf: () => null,
    sleep: () => Promise.resolve(),
    isHttp: false,
    checks,
    ...options,
  });
  const server = splitLines((line) => exchange.fromServer(line), limit);
  const events = () =>
    eventsOfRecords('files', lines.map((line) => JSON.stringify({ at: 1, ...line })).join('\n'), 9).map(
      ({ event }) => event,
    );
  return {
    exchange,
    lines,
    events,
    agent: (message: Json) => exchange.fromAgent(Buffer.from(`${JSON.stringify(message)}\n`)),
    server: (message: Json) => server.add(Buffer.from(`${JSON.stringify(message)}\n`)),
    bytes: (bytes: Buffer | string) => server.add(Buffer.from(bytes)),
    /** The problems of the server, and of calls. */
    wrong: () =>
      events().flatMap((event) =>
        event.type === 'mcp_problem'
          ? [event.message]
          : event.type === 'mcp_call' && event.is_error
            ? [event.error ?? 'isError']
            : [],
      ),
  };
}

const request = (id: Json, method: string, params: Message = {}): Message => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const callOf = (id: Json, name: string, args: Message = {}): Message =>
  request(id, 'tools/call', { name, arguments: args });
const result = (id: Json, value: Message): Message => ({ jsonrpc: '2.0', id, result: value });
const tool = (more: Message = {}): Message => ({ name: 'read', inputSchema: { type: 'object' }, ...more });
const text = (said: string): Message => ({ content: [{ type: 'text', text: said }] });

/** An exchange in which the agent knows the tools. */
function started(options: Partial<ExchangeOptions> = {}, limit?: number) {
  const one = start(options, limit);
  one.agent(request(1, 'tools/list'));
  one.server(result(1, { tools: [tool()] }));
  return one;
}

it('records calls that answer out of order, with what each was given and answered', () => {
  const { agent, server, events } = started();
  expect(agent(callOf(2, 'read', { path: 'a' })).toServer).not.toBeNull();
  agent(callOf(3, 'read', { path: 'b' }));
  server(result(3, text('B')));
  server({ jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no such file' } });
  expect(events()).toMatchObject([
    { type: 'mcp_tools', tools: [{ name: 'read', bytes: 47 }] },
    { arguments: { path: 'b' }, result: text('B'), error: null, is_error: false, duration_ms: 5 },
    { arguments: { path: 'a' }, result: null, error: 'no such file', is_error: true, duration_ms: 15 },
  ]);
});

it('does not take requests of the server, or answers of the agent, for calls', () => {
  const { agent, server, lines } = start();
  agent(callOf(1, 'read'));
  // Both sides count their requests: this is another 1.
  server(request(1, 'ping'));
  agent(result(1, {}));
  expect(lines.map(({ type }) => type)).toEqual(['started', 'call']);
  server(result(1, { content: [] }));
  expect(lines.map(({ type }) => type)).toEqual(['started', 'call', 'answer']);
});

it('records a call that was cancelled, that cannot be sent, and that never ends', () => {
  const { exchange, agent, events, server, wrong } = started();
  for (const [id, name] of ['cancelled', 'unsent', 'endless'].entries()) agent(callOf(id, name));
  agent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } });
  expect(exchange.failed(callOf(1, 'unsent'), 'nobody listens')).toMatchObject({
    id: 1,
    error: { message: 'nobody listens' },
  });
  expect(events().slice(1)).toMatchObject([
    { tool: 'cancelled', error: 'the agent cancelled the call', is_error: true },
    { tool: 'unsent', error: 'nobody listens', is_error: true },
    { tool: 'endless', error: 'the call had no answer when the agent ended', duration_ms: null },
  ]);
  // The server may have answered before it knew.
  server(result(0, text('too late')));
  expect(wrong()).toHaveLength(3);
});

it('answers a mocked call after its delay, and does not pass it on', async () => {
  const slept: number[] = [];
  const { agent, lines } = start({
    mockOf: (name) => (name === 'read' ? { delayMs: 70, result: { content: [], isError: true } } : null),
    sleep: (ms) => Promise.resolve(slept.push(ms)),
  });
  const { toServer, answers } = agent(callOf(1, 'read'));
  expect([toServer, await Promise.all(answers)]).toEqual([null, [result(1, { content: [], isError: true })]]);
  expect(slept).toEqual([70]);
  expect(lines.at(-1)).toMatchObject({ type: 'answer', mocked: true, is_error: true });
  expect(agent(callOf(2, 'write')).toServer).not.toBeNull();
  const both = agent([callOf(3, 'read'), callOf(4, 'write')]);
  expect(JSON.parse(String(both.toServer))).toEqual([callOf(4, 'write')]);
  expect(both.answers).toHaveLength(1);
});

it.each([
  ['"1"', 1],
  ['1', '1'],
  ['9007199254740993', 9007199254740992],
  ['1.0', 1],
])('takes an answer with the id %s for one to %j, as clients do', (given, asked) => {
  const { agent, bytes, wrong, events } = started();
  agent(callOf(asked, 'read'));
  bytes(`{"jsonrpc":"2.0","id":${given},"result":{"content":[]}}\n`);
  expect(wrong()).toEqual([]);
  expect(events().at(-1)).toMatchObject({ type: 'mcp_call', is_error: false });
});

it('passes on lines of the agent as they are, whatever they are', () => {
  const { exchange } = start();
  for (const line of ['{"id": 12345678901234567890 ,"method":"x"}\r\n', 'no message\n', '[1,2]\n', '\n']) {
    expect(exchange.fromAgent(Buffer.from(line)).toServer?.toString()).toBe(line);
  }
});

/** Answers that a client refuses, by the method of the request, and what is said about them. */
const REFUSED: [string, Json, string][] = [
  ['tools/list', { tools: [tool()], nextCursor: null }, 'nextCursor: expected a string, got null'],
  ['tools/list', { tools: [tool({ description: null })] }, 'tools[0].description: expected a string, got null'],
  [
    'tools/list',
    { tools: [tool(), tool({ annotations: null })] },
    'tools[1].annotations: expected an object, got null',
  ],
  ['tools/list', { tools: [tool({ inputSchema: {} })] }, 'tools[0].inputSchema.type: missing'],
  [
    'tools/list',
    { tools: [tool({ inputSchema: { type: 'string' } })] },
    'tools[0].inputSchema.type: expected "object", got "string"',
  ],
  ['tools/list', { tools: [tool({ outputSchema: null })] }, 'tools[0].outputSchema: expected an object, got null'],
  ['tools/list', { tools: null }, 'tools: expected a list, got null'],
  ['tools/list', {}, 'tools: missing'],
  [
    'initialize',
    { capabilities: {}, serverInfo: { name: 'x' }, protocolVersion: '2025-06-18' },
    'serverInfo.version: missing',
  ],
  ['resources/list', { resources: [{ uri: 'a:b' }] }, 'resources[0].name: missing'],
  ['prompts/list', { prompts: [{ name: 1 }] }, 'prompts[0].name: expected a string, got 1'],
];

it.each(REFUSED)('an answer to %s that clients refuse is a problem of the server: %j', (method, value, message) => {
  const { agent, server, wrong, lines } = start();
  agent(request(1, method));
  server(result(1, value as Message));
  expect(wrong()[0]).toBe(`${method}: ${message}`);
  expect(lines.filter(({ type }) => type === 'tools')).toEqual([]);
});

/** The same for calls. */
const REFUSED_CALLS: [Message, string][] = [
  [{ ...text('ok'), isError: null }, 'isError: expected a boolean, got null'],
  [{}, 'content: missing'],
  [{ content: 'ok' }, 'content: expected a list, got "ok"'],
  [{ content: [{ type: 'text', text: null }] }, 'content[0].text: expected a string, got null'],
  [{ content: [{ type: 'image', data: 'AAAA' }] }, 'content[0].mimeType: missing'],
  [{ content: [{ type: 'image', data: '§', mimeType: 'image/png' }] }, 'content[0].data: expected base64'],
  [{ content: [], structuredContent: [1] }, 'structuredContent: expected an object, got a list'],
  [{ content: [], _meta: 1 }, '_meta: expected an object, got 1'],
];

it.each(REFUSED_CALLS)('a call with an answer that clients refuse has failed: %j', (value, message) => {
  const { agent, server, events } = started();
  agent(callOf(2, 'read'));
  server(result(2, value));
  expect(events().at(-1)).toMatchObject({ is_error: true, error: `tools/call: ${message}`, result: value });
});

it('says where content is of no kind that there is', () => {
  const { agent, server, wrong } = started();
  agent(callOf(2, 'read'));
  server(result(2, { content: [{ type: 'video' }] }));
  expect(wrong()).toEqual(['tools/call: content[0]: expected one of the kinds that the protocol has']);
});

it('checks structured content by the schema of the tool, as clients do', () => {
  const { agent, server, wrong } = start();
  agent(request(1, 'tools/list'));
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  server(result(1, { tools: [tool({ outputSchema })] }));
  for (const [id, value] of [{ n: 1 }, { n: 'x' }].entries()) {
    agent(callOf(id + 2, 'read'));
    server(result(id + 2, { content: [], structuredContent: value }));
  }
  agent(callOf(4, 'read'));
  server(result(4, text('no structure')));
  agent(callOf(5, 'read'));
  server(result(5, { ...text('failed'), isError: true }));
  expect(wrong()).toEqual([
    'tools/call: structuredContent does not fit the outputSchema of the tool: n: expected a number, got "x"',
    'tools/call: structuredContent: missing, though the tool has an outputSchema',
    'isError',
  ]);
});

/** Messages that clients refuse as such. An answer without an id that can be told is one to the only open request. */
const NO_MESSAGES: [string, string][] = [
  ['Server v1.0 starting...', 'wrote to stdout what is no message: "Server v1.0 starting..."'],
  ['\u0000\u0000', 'wrote to stdout what is no message: "\\u0000\\u0000"'],
  [
    '\ufeff{"jsonrpc":"2.0","method":"x"}',
    'wrote to stdout what is no message: "\ufeff{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"x\\"}"',
  ],
  ['{"level":"info","msg":"json log"}', 'a message: jsonrpc: expected "2.0", got nothing'],
  ['{"jsonrpc":"2.0","id":null,"result":{}}', 'tools/call: id: expected a string or an integer, got null'],
  ['{"jsonrpc":"2.0","id":{"a":1},"result":{}}', 'tools/call: id: expected a string or an integer, got an object'],
  ['{"jsonrpc":"2.0","id":2.5,"result":{}}', 'tools/call: id: expected a string or an integer, got 2.5'],
  ['{"jsonrpc":"2.0","id":2,"result":{},"error":null}', 'tools/call: error: not expected beside result'],
  ['{"jsonrpc":"2.0","id":2,"error":{"message":"x"}}', 'tools/call: error.code: expected an integer, got nothing'],
  ['{"jsonrpc":"2.0","id":2,"error":"x"}', 'tools/call: error: expected an object, got "x"'],
  ['{"id":2,"result":{}}', 'tools/call: jsonrpc: expected "2.0", got nothing'],
  ['{"jsonrpc":"2.0","id":77,"result":{}}', 'answered a request that was not made: id 77'],
  [
    '[{"jsonrpc":"2.0","id":2,"result":{"content":[]}}]',
    'wrote to stdout a list of messages, which only version 2025-03-26 of the protocol has',
  ],
  ['"text"', 'a message: expected an object, got "text"'],
  [
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"1","progressToken":1}}',
    'notifications/progress: params.progress: expected a number, got "1"',
  ],
];

it.each(NO_MESSAGES)('%s is a problem of the server', (line, message) => {
  const { agent, bytes, wrong } = started();
  agent(callOf(2, 'read'));
  bytes(`${line}\n`);
  expect(wrong()).toContain(
    message
      .replace(/^a message: jsonrpc/, 'tools/call: jsonrpc')
      .replace(/^a message: expected/, 'a message: expected'),
  );
});

it('bytes that are not UTF-8 are a problem of the server', () => {
  const { agent, bytes, wrong } = started();
  agent(callOf(2, 'read'));
  const [head, tail] = ['{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"caf', '"}]}}\n'];
  bytes(Buffer.concat([Buffer.from(head), Buffer.from([0xe9]), Buffer.from(tail)]));
  expect(wrong()).toEqual(['wrote to stdout a line that is not UTF-8']);
});

it.each([
  'an empty line\n\n'.slice(13),
  '  \r\n',
  '{"jsonrpc":"2.0","method":"notifications/of-its-own","params":{"a":null}}\n',
  '{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}}\n',
  '{"jsonrpc":"2.0","id":5,"method":"roots/list"}\n',
  '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n',
  '{"jsonrpc":"2.0","error":{"code":-32700,"message":"cannot parse"}}\n',
])('%j is no problem', (line) => {
  const { bytes, wrong } = started();
  bytes(line);
  expect(wrong()).toEqual([]);
});

it('accepts lists of messages in the version that has them', () => {
  const { agent, server, wrong } = start();
  agent(request(0, 'initialize'));
  server(result(0, { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 'a', version: '1' } }));
  agent([request(1, 'tools/list'), callOf(2, 'read')]);
  server([result(1, { tools: [] }), result(2, text('ok'))]);
  expect(wrong()).toEqual([]);
});

const META = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

it('follows a call in 2026-07-28 in which the server asks for more', () => {
  const { agent, server, wrong, events } = start();
  agent(request(2, 'tools/list', META));
  server(result(2, { tools: [tool()], resultType: 'complete', ttlMs: 0, cacheScope: 'private' }));
  const ask = { name: 'read', arguments: { path: 'a' }, ...META };
  agent(request(3, 'tools/call', ask));
  server(result(3, { resultType: 'input_required', requestState: 's', inputRequests: {} }));
  agent(request(4, 'tools/call', { ...ask, requestState: 's', inputResponses: {} }));
  server(result(4, { content: [], resultType: 'complete', structuredContent: [1] }));
  expect(wrong()).toEqual([]);
  expect(events().filter(({ type }) => type === 'mcp_call')).toHaveLength(1);
});

const COMPLETE = { resultType: 'complete' };
const CACHED = { ...COMPLETE, ttlMs: 0, cacheScope: 'private' };
const ASKING = { resultType: 'input_required' };
const TYPES = 'one of ["complete","input_required"]';

/** Answers in 2026-07-28, and what is said about them; null if clients accept them. */
const NEWER: [method: string, answer: Message, message: string | null][] = [
  ['tools/list', { tools: [tool()] }, 'resultType: missing'],
  ['tools/list', { tools: [tool()], ...COMPLETE }, 'ttlMs: missing'],
  ['tools/list', { tools: [], ...CACHED, ttlMs: -1 }, 'ttlMs: Too small: expected number to be >=0'],
  [
    'resources/read',
    { contents: [], ...CACHED, cacheScope: 'all' },
    'cacheScope: expected one of ["public","private"], got "all"',
  ],
  ['tools/list', { tools: [tool({ title: null })], ...CACHED }, 'tools[0].title: expected a string, got null'],
  ['tools/list', { tools: [tool({ outputSchema: { type: 'array' }, execution: 1 })], ...CACHED }, null],
  ['tools/call', { ...text('ok'), resultType: null }, `resultType: expected ${TYPES}, got null`],
  ['tools/call', { ...text('ok'), resultType: 'task' }, `resultType: expected ${TYPES}, got "task"`],
  ['tools/call', COMPLETE, 'content: missing'],
  ['tools/call', { content: [{ type: 'text' }], ...COMPLETE }, 'content[0].text: missing'],
  ['tools/call', { content: [], ...COMPLETE, structuredContent: null, _meta: { progressToken: {} } }, null],
  ['tools/call', ASKING, 'expected inputRequests or requestState with the type input_required'],
  ['prompts/get', { ...ASKING, inputRequests: {}, requestState: '' }, null],
  [
    'tools/call',
    { ...ASKING, inputRequests: { a: { method: 'ping' } } },
    'inputRequests.a: expected one of the kinds that the protocol has',
  ],
  ['prompts/get', { ...ASKING, inputRequests: { a: { method: 'roots/list' } } }, null],
  [
    'prompts/get',
    { ...ASKING, inputRequests: { a: { method: 'sampling/createMessage', params: { messages: [] } } } },
    'inputRequests.a.params.maxTokens: missing',
  ],
  [
    'prompts/get',
    {
      ...ASKING,
      inputRequests: {
        a: { method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'http://a' } },
      },
    },
    null,
  ],
  [
    'prompts/get',
    { messages: [{ role: 'system', content: { type: 'text', text: '' } }], ...COMPLETE },
    'messages[0].role: expected one of ["user","assistant"], got "system"',
  ],
  [
    'completion/complete',
    { completion: { values: [1] }, ...COMPLETE },
    'completion.values[0]: expected a string, got 1',
  ],
  ['subscriptions/listen', {}, 'resultType: missing'],
  ['of/its-own', { anything: null, ...COMPLETE }, null],
  ['server/discover', { supportedVersions: ['2026-07-28'], capabilities: {} }, null],
  [
    'server/discover',
    { supportedVersions: '2026-07-28', capabilities: {} },
    'supportedVersions: expected a list, got "2026-07-28"',
  ],
];

it.each(NEWER)('in 2026-07-28, clients judge an answer to %s: %j', (method, answer, message) => {
  const { agent, server, wrong } = started();
  agent(request(2, method, { name: 'read', ...META }));
  server(result(2, answer));
  expect(wrong()).toEqual(message === null ? [] : [`${method}: ${message}`]);
});

it('an answer of a type that the protocol does not have is none of a client that knows extensions', () => {
  const { agent, server, wrong } = started();
  const _meta = { ...META._meta, 'io.modelcontextprotocol/clientCapabilities': { extensions: { x: {} } } };
  for (const [id, type] of ['task', 'complete'].entries()) {
    agent(request(id, 'tools/call', { name: 'read', _meta }));
    server(result(id, { resultType: type }));
  }
  expect(wrong()).toEqual(['tools/call: content: missing']);
});

it.each<[string, Message, string | null]>([
  [
    'sampling/createMessage',
    { id: 1 },
    'servers make no requests in 2026-07-28; they answer with the type input_required',
  ],
  ['notifications/cancelled', { params: {} }, 'params.requestId: missing'],
  ['notifications/subscriptions/acknowledged', { params: {} }, 'params.notifications: missing'],
  ['notifications/subscriptions/acknowledged', { params: { notifications: {} } }, null],
  ['notifications/progress', { params: { progress: 1 } }, 'params.progressToken: missing'],
  ['notifications/of-its-own', { params: { a: null } }, null],
])('in 2026-07-28, clients judge %s of the server: %j', (method, more, message) => {
  const { agent, server, wrong } = start();
  agent(request(1, 'tools/list', META));
  server(result(1, { tools: [], ...CACHED }));
  server({ jsonrpc: '2.0', method, ...more });
  expect(wrong()).toEqual(message === null ? [] : [`${method}: ${message}`]);
});

it.each<[Message, string | null]>([
  [{ type: 'string', 'x-mcp-header': 'Region' }, null],
  [{ type: 'string', 'x-mcp-header': '' }, 'a: x-mcp-header: expected the name of a header'],
  [{ type: 'string', 'x-mcp-header': 'a b' }, 'a: x-mcp-header: expected the name of a header'],
  [{ type: 'string', 'x-mcp-header': null }, 'a: x-mcp-header: expected the name of a header'],
  [
    { type: 'number', 'x-mcp-header': 'N' },
    'a: x-mcp-header: only a string, an integer or a boolean can be in a header',
  ],
  [
    { type: 'object', properties: { b: { type: 'string', 'x-mcp-header': 'DAY' } } },
    'a.b: x-mcp-header: another argument wants the header DAY, too',
  ],
])('over HTTP, clients of 2026-07-28 leave out tools that want in headers what cannot be there: %j', (a, message) => {
  const inputSchema = {
    type: 'object',
    properties: { day: { type: 'integer', 'x-mcp-header': 'Day' }, a },
  };
  for (const isHttp of [true, false]) {
    const { agent, server, wrong } = start({ isHttp });
    agent(request(1, 'tools/list', META));
    server(result(1, { tools: [tool({ inputSchema })], ...CACHED }));
    expect(wrong()).toEqual(message === null || !isHttp ? [] : [`tools/list: read: ${message}`]);
  }
});

it('of versions whose schemas are not known, messages are only checked as JSON-RPC', () => {
  const { agent, server, wrong } = start();
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2027-01-31' };
  agent(request(1, 'tools/list', { _meta }));
  server(result(1, { tools: 'later' }));
  server(request(1, 'sampling/createMessage'));
  server({ jsonrpc: '2.0', method: 'notifications/progress' });
  expect(wrong()).toEqual([]);
});

it('the question which versions a server speaks is no problem if the server does not know it', () => {
  for (const answer of [
    { error: { code: -32601, message: 'Method not found' } },
    { result: {} },
    { error: { code: -32000, message: 'Bad Request' } },
  ]) {
    const { agent, server, wrong } = started();
    agent(request(0, 'server/discover', META));
    server({ jsonrpc: '2.0', id: 0, ...answer });
    expect(wrong()).toEqual([]);
  }
});

it('a line that is too long to be read is passed on, and our limit is named as ours', () => {
  const { agent, server, events } = started({}, 200_000);
  agent(callOf(2, 'read'));
  server(result(2, text('x'.repeat(400_000))));
  const [, call, problem] = events();
  expect(call).toMatchObject({ type: 'mcp_call', is_error: false, error: null });
  expect(problem).toMatchObject({ type: 'mcp_problem', limit: true });
  expect(problem).toHaveProperty('message', expect.stringContaining('llm-tool-test passed on'));
});

it('records the beginning of what is long or deep, without an error', () => {
  const { agent, bytes, events, server } = started();
  agent(callOf(2, 'read'));
  bytes(
    `{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}}\n`,
  );
  agent(callOf(3, 'read'));
  server(result(3, text('y'.repeat(11 * 1024 * 1024))));
  const [deep, long] = events().filter((event) => event.type === 'mcp_call');
  expect([deep?.is_error, long?.is_error]).toEqual([false, false]);
  expect(JSON.stringify(deep)).toContain('nested too deeply');
  expect(JSON.stringify(long).length).toBeLessThan(2 * 1024 * 1024);
  expect(JSON.stringify(long)).toContain('yyy…');
});

it.each([
  [null, 'the agent did not start this server'],
  ['', 'the agent did not start this server'],
  ['{"type":"started","at":1}\n', 'the agent ended before it knew the tools of this server'],
  [
    '{"type":"tools","at":1,"tools":[]}\n{"type":"call","at":1,"id"',
    'a part of what was recorded of it cannot be read',
  ],
])('what is missing in the record %j is a problem of the server', (written, message) => {
  expect(eventsOfRecords('files', written, 9).at(-1)).toEqual({
    at: 9,
    event: { type: 'mcp_problem', server: 'files', message },
  });
});
