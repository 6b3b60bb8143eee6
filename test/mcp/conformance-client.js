// A client of the protocol for its conformance suite, which speaks through the proxy: `node conformance-client.js URL`.
// It sends what the scenario MCP_CONFORMANCE_SCENARIO needs, and leaves all that has to do with HTTP to the proxy. What
// the proxy finds wrong with the server of the suite is printed to stderr.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const url = process.argv[2] ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
let version = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '2025-11-25';
const hasHandshake = version < '2026';

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
const program = (/** @type {string} */ name) => join(import.meta.dirname, `../../dist/${name}.js`);
const [file, socket, records] = ['file', 'socket', 'records'].map((name) => join(folder, name));
writeFileSync(
  file ?? '',
  JSON.stringify([
    {
      server: 'suite',
      connection: { url, headers: {} },
      workspace: folder,
      socket,
      records,
      mocks: [],
      calls: folder,
      seed: 's',
      agent: 'a',
      scenario: 's',
      step: 'agent',
    },
  ]),
);
const proxy = spawn(process.execPath, [program('proxy-program'), file ?? ''], { stdio: 'ignore' });
const link = spawn(process.execPath, [program('connect-program'), socket ?? ''], {
  stdio: ['pipe', 'pipe', 'inherit'],
});

/** @type {Map<unknown, (message: any) => void>} */
const waiting = new Map();
const send = (/** @type {object} */ message) => link.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
createInterface({ input: link.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) waiting.get(message.id)?.(message);
  else if (message.id !== undefined) send({ id: message.id, result: resultFor(message) });
});

/** Answers a request of the server: a form is filled with its defaults. */
function resultFor(/** @type {any} */ { method, params }) {
  if (method !== 'elicitation/create') return {};
  const fields = Object.entries(/** @type {Record<string, any>} */ (params.requestedSchema.properties));
  const content = fields.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]));
  return { action: 'accept', content: Object.fromEntries(content) };
}

let count = 0;
/** @returns {Promise<any>} */
const answerTo = (/** @type {string} */ method, /** @type {object} */ params = {}) =>
  new Promise((resolve) => {
    const id = ++count;
    waiting.set(id, resolve);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {}, roots: {} },
    };
    send({ id, method, params: hasHandshake ? params : { ...params, _meta } });
  });
const ask = async (/** @type {string} */ method, /** @type {object} */ params = {}) =>
  (await answerTo(method, params)).result ?? {};
const call = (/** @type {string} */ name, args = {}, more = {}) =>
  ask('tools/call', { name, arguments: args, ...more });

/** Calls a tool, and once more with what it asks for. Another call between them must not have it. */
async function callTwice(/** @type {string} */ name) {
  const { inputRequests, requestState } = await call(name);
  await call('test_mrtr_unrelated');
  const inputResponses = Object.fromEntries(
    Object.keys(inputRequests ?? {}).map((key) => [key, { action: 'accept', content: { confirmed: true } }]),
  );
  await call(name, {}, { inputResponses, ...(requestState === undefined ? {} : { requestState }) });
}

if (hasHandshake) {
  const clientInfo = { name: 'test', version: '1' };
  const capabilities = { elicitation: { applyDefaults: true } };
  await ask('initialize', { protocolVersion: version, clientInfo, capabilities });
  send({ method: 'notifications/initialized' });
} else if (scenario === 'request-metadata') {
  const { error } = await answerTo('server/discover');
  version = error?.data?.supported?.find((/** @type {string} */ each) => each > '2026') ?? version;
  if (error !== undefined) await ask('server/discover');
}
const { tools = [] } = await ask('tools/list');
const [first] = tools;
switch (scenario) {
  case 'http-custom-headers':
    for (const { name, arguments: args } of context.toolCalls) await call(name, args);
    break;
  case 'http-standard-headers': {
    await call(first.name);
    const { resources } = await ask('resources/list');
    await ask('resources/read', { uri: resources[0].uri });
    const { prompts } = await ask('prompts/list');
    await ask('prompts/get', { name: prompts[0].name });
    break;
  }
  case 'json-schema-2020-12-preservation':
    await call('json_schema_echo', {
      schema: tools.find((/** @type {any} */ { name }) => name === 'json_schema_2020_12_tool').inputSchema,
    });
    break;
  case 'sep-2322-client-request-state':
    await callTwice('test_mrtr_echo_state');
    await callTwice('test_mrtr_no_state');
    await call('test_mrtr_no_result_type');
    break;
  case 'json-schema-ref-no-deref':
  case 'request-metadata':
    break;
  default:
    if (first !== undefined) await call(first.name, { a: 2, b: 3 });
}
link.stdin.end();
await new Promise((resolve) => link.once('close', resolve));
proxy.kill('SIGKILL');
for (const line of readFileSync(records ?? '', 'utf8')
  .trim()
  .split('\n')) {
  const { type, message, error } = JSON.parse(line);
  if (type === 'problem') console.error(`problem: ${message}`);
  else if (typeof error === 'string') console.error(`problem: ${error}`);
}
rmSync(folder, { recursive: true });
