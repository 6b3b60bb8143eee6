import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ModelFailed } from '../../../src/host/models/model-errors.js';
import { knownProviders, missingVariables } from '../../../src/host/models/model-providers.js';
import { callModel, callWithTools } from '../../../src/host/models/call-model.js';
import { createModelServer, type ModelServer } from '../../commands/model-server.js';

const provider = (name: string, configured: Parameters<typeof knownProviders>[0] = {}) => {
  const found = knownProviders(configured).get(name);
  if (found === undefined) throw new Error(`no provider ${name}`);
  return found;
};
const house = { base_url: '${HOUSE_URL}/v1', api_key: '${HOUSE_KEY}', free: true };

describe('the variables of a provider', () => {
  test('are those of its keys and addresses', () => {
    expect(provider('anthropic').variables).toEqual(['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL']);
    expect(provider('house', { house }).variables).toEqual(['HOUSE_URL', 'HOUSE_KEY']);
  });

  test('are missing if they have no value or an empty one; one of several names for a key is enough', () => {
    expect(missingVariables(provider('openai'), {})).toEqual(['OPENAI_API_KEY']);
    expect(missingVariables(provider('openai'), { OPENAI_API_KEY: '' })).toEqual(['OPENAI_API_KEY']);
    expect(missingVariables(provider('openai'), { OPENAI_API_KEY: 'k' })).toEqual([]);
    expect(missingVariables(provider('google'), { GEMINI_API_KEY: 'k' })).toEqual([]);
    expect(missingVariables(provider('google'), {})).toEqual(['GOOGLE_GENERATIVE_AI_API_KEY']);
    expect(missingVariables(provider('house', { house }), { HOUSE_KEY: 'k' })).toEqual(['HOUSE_URL']);
  });

  test('a provider in the config replaces a built-in one of the same name', () => {
    expect(provider('openai', { openai: house }).free).toBe(true);
    expect(provider('openai').free).toBe(false);
  });
});

describe('the address of a provider', () => {
  const ask = { system: 's', user: 'u', schema: { type: 'object' }, timeoutMs: 10_000 };

  /** The paths of the requests to a model. */
  async function pathsWith(name: string, values: (address: string) => Record<string, string>): Promise<string[]> {
    const server = await createModelServer();
    server.script('m', { say: '{}' });
    const model = await provider(name, { house }).connect('m', values(server.address));
    await callModel(model, ask, new AbortController().signal).catch(() => null);
    await server.close();
    return server.askedOf('m').map(({ path }) => path);
  }

  test.each(['', '/', '/v1', '/v1/'])('may end with %j for Anthropic', async (end) => {
    const paths = await pathsWith('anthropic', (address) => ({
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: address + end,
    }));
    expect(paths).toEqual(['/v1/messages']);
  });

  test('is taken from the config as it is, and works without a key', async () => {
    expect(await pathsWith('house', (address) => ({ HOUSE_URL: address, HOUSE_KEY: '' }))).toEqual([
      '/v1/chat/completions',
    ]);
  });

  test('is refused by the name of its variable if it is invalid', async () => {
    const connect = (): Promise<unknown> =>
      provider('openai').connect('m', { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'localhost:99' });
    await expect((async () => connect())()).rejects.toThrow(/OPENAI_BASE_URL is not an address like https/);
    await expect((async () => connect())()).rejects.toBeInstanceOf(ModelFailed);
  });
});

test('reports an unreachable server as unavailable, and ends an aborted request with its reason', async () => {
  const server = await createModelServer();
  server.script('m', 'silence');
  const model = await provider('house', { house }).connect('m', { HOUSE_URL: server.address, HOUSE_KEY: '' });
  const ask = { system: 's', user: 'u', schema: { type: 'object' }, timeoutMs: 60_000 };
  const stop = new AbortController();
  const given = callModel(model, ask, stop.signal);
  const reason = new Error('nobody wants to know');
  stop.abort(reason);
  await expect(given).rejects.toBe(reason);
  await server.close();
  const refused = callModel(model, ask, new AbortController().signal);
  await expect(refused).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('ECONNREFUSED') as string,
  });
});

describe('an answer that is none of the API', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const completion = (changes: object): string =>
    JSON.stringify({
      id: 'x',
      object: 'chat.completion',
      created: 0,
      model: 'm',
      usage,
      choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
      ...changes,
    });
  const page = '<!DOCTYPE html><html>Sign in</html>';
  const [html, json] = ['text/html; charset=utf-8', 'application/json'];
  const JSON_OF_OTHERS = /^answered with JSON that is no answer of its API \(.+\); check base_url$/;

  test.each([
    [html, page, /^answered with text\/html, not JSON; check base_url$/],
    ['text/plain', 'OK', /^answered with text\/plain, not JSON; check base_url$/],
    [json, page, /^answered with "<!DOCTYPE html><html>Sign in<\/html>", not JSON; check base_url$/],
    [json, '', /^answered with nothing, not JSON; check base_url$/],
    [json, '{}', JSON_OF_OTHERS],
    [json, 'null', JSON_OF_OTHERS],
    [json, '{"error":{"message":"no such route"}}', JSON_OF_OTHERS],
    [json, completion({ choices: [] }), JSON_OF_OTHERS],
    [json, completion({ usage: { ...usage, prompt_tokens: 'many' } }), /usage\.prompt_tokens: .*check base_url$/],
  ])('is unreadable, and the message says so: %s %s', async (type, body, says) => {
    const server = await createModelServer();
    server.script('m', { status: 200, headers: { 'content-type': type }, body });
    const model = await provider('house', { house }).connect('m', {
      HOUSE_URL: server.address,
      HOUSE_KEY: '',
    });
    const ask = { system: 's', user: 'u', schema: null, timeoutMs: 10_000 };
    const answer = callModel(model, ask, new AbortController().signal);
    await expect(answer).rejects.toMatchObject({
      kind: 'unreadable',
      message: expect.stringMatching(says) as string,
    });
    await server.close();
  });

  test('is still an outage, or refused, if its status says so', async () => {
    const server = await createModelServer();
    const model = await provider('house', { house }).connect('m', {
      HOUSE_URL: server.address,
      HOUSE_KEY: '',
    });
    const ask = { system: 's', user: 'u', schema: null, timeoutMs: 10_000 };
    for (const [status, kind] of [
      [502, 'unavailable'],
      [404, 'refused'],
      [401, 'refused'],
    ] as const) {
      server.script('m', { status, headers: { 'content-type': html }, body: page });
      await expect(callModel(model, ask, new AbortController().signal)).rejects.toMatchObject({ kind });
    }
    await server.close();
  });
});

describe('what not every server accepts', () => {
  const ask = async (question: object, ...replies: Parameters<ModelServer['script']>[1][]) => {
    const server = await createModelServer();
    server.script('m', ...replies);
    const model = await provider('house', { house }).connect('m', {
      HOUSE_URL: server.address,
      HOUSE_KEY: '',
    });
    const whole = { system: 's', user: 'u', schema: null, timeoutMs: 10_000, ...question };
    const answer = await callModel(model, whole, new AbortController().signal).catch((error: unknown) => error);
    await server.close();
    const bodies = server.askedOf('m').map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    return { answer, bodies };
  };
  const refusal = { status: 400, body: '{"error":{"message":"not supported"}}' };
  const demands = ({ temperature, response_format, max_tokens }: Record<string, unknown>) => [
    temperature,
    response_format !== undefined,
    max_tokens,
  ];

  test('is left out one by one: first the temperature, then the schema', async () => {
    const question = { schema: { type: 'object' }, temperature: 0.5, maxTokens: 200 };
    const { answer, bodies } = await ask(question, refusal, refusal, { say: 'hello' });
    expect(answer).toMatchObject({ text: 'hello' });
    expect(bodies.map(demands)).toEqual([
      [0.5, true, 200],
      [undefined, true, 200],
      [undefined, false, 200],
    ]);
  });

  test('is not asked for where nobody wants it, and then a refusal is final', async () => {
    const { answer, bodies } = await ask({}, refusal);
    expect(answer).toMatchObject({ kind: 'refused' });
    expect(bodies.map(demands)).toEqual([[undefined, false, undefined]]);
  });
});

test.each([
  ['anthropic', 'claude-sonnet-4-5', 'effort', { output_config: { effort: 'high' } }],
  ['openai', 'gpt-5.5', 'reasoning.effort', { reasoning: { effort: 'high' } }],
  ['google', 'gemini-2.5-pro', 'thinkingLevel', { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } }],
  ['house', 'm', 'reasoning_effort', { reasoning_effort: 'high' }],
])('%s is told how long the model thinks', async (name, model, _field, sent) => {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      bodies.push(JSON.parse(text) as unknown);
      response.writeHead(400).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL', 'HOUSE_URL'];
  const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'HOUSE_KEY'];
  const values = Object.fromEntries<string>([
    ...names.map((one) => [one, address] as const),
    ...keys.map((one) => [one, 'k'] as const),
  ]);
  const connected = await provider(name, { house }).connect(model, values);
  const question = { system: 's', messages: [{ role: 'user' as const, content: 'u' }], tools: {}, timeoutMs: 10_000 };
  for (const effort of [undefined, 'high'])
    await callWithTools(connected, { ...question, effort }, new AbortController().signal).catch(() => null);
  expect(bodies).toHaveLength(2);
  expect(bodies[0]).not.toMatchObject(sent);
  expect(bodies[1]).toMatchObject(sent);
});
