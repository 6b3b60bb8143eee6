import { expect, it } from 'vitest';
import type { ModelServer } from './model-server/server.js';
import { serve } from './serve.js';

const TASK = { steps: [{ run: 'echo one' }, { say: 'All done.' }] };

const ask = async (server: ModelServer, path: string, body?: unknown): Promise<unknown> => {
  const post = { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(server.url + path, body === undefined ? {} : post)).json();
};

const chatOf = (...messages: unknown[]): unknown => ({
  model: 'm',
  messages,
  tools: [{ function: { name: 'bash' } }],
});

it('the model server chooses the script by the text of the conversation', async () => {
  const server = await serve({ when: 'Always use --json', steps: [{ say: 'good' }] }, { steps: [{ say: 'bad' }] });
  await ask(server, '/v1/chat/completions', chatOf({ role: 'system', content: 'Always use --json.' }));
  await ask(server, '/v1/chat/completions', chatOf({ role: 'user', content: 'Do it.' }));
  expect(server.requests).toMatchObject([
    { script: 0, number: 1 },
    { script: 1, number: 1 },
  ]);
});

it('the model server logs calls without results, and results without calls', async () => {
  const server = await serve(TASK);
  const history = [
    { role: 'assistant', tool_calls: [{ id: 'lost' }, { id: 'kept' }] },
    { role: 'tool', tool_call_id: 'kept', content: '' },
    { role: 'tool', tool_call_id: 'strange', content: '' },
  ];
  await ask(server, '/v1/chat/completions', chatOf(...history));
  expect(server.requests).toMatchObject([{ toolResults: 2, unpaired: ['lost', 'strange'] }]);
});

it('the model server lists its models, counts tokens, and records other requests', async () => {
  const server = await serve({ ...TASK, models: ['one'] });
  expect(await ask(server, '/v1/models')).toMatchObject({ data: [{ id: 'one' }] });
  expect(await ask(server, '/v1beta/models')).toMatchObject({ models: [{ name: 'models/one' }] });
  expect(await ask(server, '/v1/messages/count_tokens', {})).toEqual({ input_tokens: 1000 });
  expect(await ask(server, '/telemetry')).toMatchObject({ error: { message: 'not found' } });
  expect(server.others.at(-1)).toBe('GET /telemetry');
  expect(server.requests).toEqual([]);
});

it('the model server says why it cannot parse a request', async () => {
  const server = await serve(TASK);
  expect(JSON.stringify(await ask(server, '/v1/messages', { model: 1 }))).toContain('expected string');
});
