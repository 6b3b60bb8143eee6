import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool, type LanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import type { ErrorKind, ScriptInput } from './model-server/script.js';
import type { ModelServer } from './model-server/server.js';
import { serve } from './serve.js';

/** Independent clients, one for each protocol. */
const CLIENTS: Record<string, (url: string) => LanguageModel> = {
  anthropic: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'k' })('some-model'),
  responses: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).responses('some-model'),
  chat: (url) =>
    createOpenAICompatible({ name: 'scripted', baseURL: `${url}/v1`, apiKey: 'k', includeUsage: true })('some-model'),
  gemini: (url) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: 'k' })('some-model'),
};
const PROTOCOLS = Object.keys(CLIENTS);

const usage = { input: 7, output: 5, cached: 3, reasoning: 2 };
const TASK: ScriptInput = {
  steps: [
    { run: 'echo one', text: 'I begin.', reasoning: 'First this.', usage },
    { run: 'echo two', usage },
    { say: 'All done.', usage },
  ],
};

/** The settings of a client, and the commands that it was asked to run. */
function asked(protocol: string, server: ModelServer) {
  const model = CLIENTS[protocol]?.(server.url);
  if (model === undefined) throw new Error(`no client speaks ${protocol}`);
  const commands: string[] = [];
  const bash = tool({
    inputSchema: jsonSchema<{ command: string; description: string }>({
      type: 'object',
      properties: { command: { type: 'string' }, description: { type: 'string' } },
      required: ['command', 'description'],
    }),
    execute: ({ command }) => {
      commands.push(command);
      return `output of ${command}`;
    },
  });
  const settings = {
    model,
    system: 'You are tested.',
    prompt: 'Do the task.',
    tools: { bash },
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    maxOutputTokens: 1000,
  };
  return { commands, settings };
}

describe.each(PROTOCOLS)('the scripted model for clients of %s', (protocol) => {
  it('proceeds through its steps by the tool results that it gets', async () => {
    const server = await serve(TASK);
    const { commands, settings } = asked(protocol, server);
    const { text, steps } = await generateText(settings);
    expect({ text, commands }).toEqual({ text: 'All done.', commands: ['echo one', 'echo two'] });
    expect(steps[0]).toMatchObject({ text: 'I begin.', reasoningText: 'First this.' });
    expect(server.requests).toMatchObject(
      [0, 1, 2].map((toolResults) => ({
        protocol,
        model: 'some-model',
        key: 'k',
        stream: false,
        system: expect.stringContaining('You are tested.') as string,
        prompts: ['Do the task.'],
        tools: [{ name: 'bash', fields: ['command', 'description'] }],
        toolResults,
        unpaired: [],
        number: toolResults + 1,
      })),
    );
  });

  it('gives the same answers in a stream', async () => {
    const server = await serve(TASK);
    const { commands, settings } = asked(protocol, server);
    const result = streamText(settings);
    expect(await result.text).toBe('All done.');
    expect(commands).toEqual(['echo one', 'echo two']);
    expect((await result.steps)[0]).toMatchObject({ text: 'I begin.', reasoningText: 'First this.' });
    expect(server.requests.map(({ stream }) => stream)).toEqual([true, true, true]);
  });

  it("reports the script's usage, in a document and in a stream", async () => {
    const { settings } = asked(protocol, await serve(TASK));
    // Anthropic does not report reasoning tokens separately.
    const expected = { inputTokens: 7 + 3, cachedInputTokens: 3, outputTokens: 5 + 2 };
    expect((await generateText(settings)).usage).toMatchObject(expected);
    expect(await streamText(settings).usage).toMatchObject(expected);
  });

  it('answers requests outside the task without using a step', async () => {
    const server = await serve({ ...TASK, aside: 'The title' });
    const { settings } = asked(protocol, server);
    expect((await generateText({ ...settings, tools: {}, prompt: 'A title, please.' })).text).toBe('The title');
    expect(server.requests).toMatchObject([{ number: null }]);
  });

  it.each<[ErrorKind, number]>([
    ['bad_request', 400],
    ['context_length', 400],
    ['bad_key', 401],
    ['forbidden', 403],
    ['model_not_found', 404],
    ['rate_limit', 429],
    ['usage_limit', 429],
    ['server_error', 500],
    ['overloaded', protocol === 'anthropic' ? 529 : 503],
  ])('refuses with %s in a form that the client understands', async (error, status) => {
    const { settings } = asked(protocol, await serve({ ...TASK, faults: [{ error, retry_after_secs: 3 }] }));
    const failure: unknown = await generateText(settings).catch((thrown: unknown) => thrown);
    if (!APICallError.isInstance(failure)) throw failure;
    expect(failure).toMatchObject({ statusCode: status, responseHeaders: { 'retry-after': '3' } });
    // The client found the provider's message.
    expect(failure.data).toBeDefined();
    expect(failure.message).toMatch(/\w/);
  });

  it('reports when a usage limit ends', async () => {
    const faults = [{ error: 'usage_limit' as const, resets_in_secs: 7200 }];
    const { settings } = asked(protocol, await serve({ ...TASK, faults }));
    const failure: unknown = await generateText(settings).catch((thrown: unknown) => thrown);
    if (!APICallError.isInstance(failure)) throw failure;
    const reset = Number(failure.responseHeaders?.['anthropic-ratelimit-unified-reset']);
    const seconds =
      protocol === 'anthropic'
        ? Math.round((reset - Date.now() / 1000) / 60) * 60
        : Number(/(?:resets_in_seconds|retryDelay)":"?(\d+)/.exec(failure.responseBody ?? '')?.[1]);
    expect(seconds).toBe(7200);
  });

  it('fails as often as the script says, then continues', async () => {
    const server = await serve({ ...TASK, faults: [{ error: 'server_error', step: 1, times: 2 }] });
    const { commands, settings } = asked(protocol, server);
    const once = async (): Promise<string> => (await generateText(settings)).text;
    await expect(once()).rejects.toThrow(APICallError);
    await expect(once()).rejects.toThrow(APICallError);
    expect(await once()).toBe('All done.');
    expect(commands.filter((command) => command === 'echo two')).toHaveLength(1);
    expect(server.requests.map(({ fault }) => fault !== null)).toEqual([false, true, false, true, false, false, false]);
  });

  it('can reset a connection or cut off an answer', async () => {
    const faults: ScriptInput['faults'] = [
      { break: 'reset', request: 1 },
      { break: 'cut', request: 2 },
    ];
    const { settings } = asked(protocol, await serve({ ...TASK, faults }));
    await expect(generateText(settings)).rejects.toThrow();
    await expect(generateText(settings)).rejects.toThrow();
    expect((await generateText(settings)).text).toBe('All done.');
  });

  it.each(['cut', 'error_event'] as const)('can break a stream with: %s', async (how) => {
    const { settings } = asked(protocol, await serve({ ...TASK, faults: [{ break: how, request: 1 }] }));
    const [types, errors]: [string[], unknown[]] = [[], []];
    const { fullStream } = streamText({ ...settings, onError: ({ error }) => void errors.push(error) });
    try {
      for await (const { type } of fullStream) types.push(type);
    } catch (error) {
      errors.push(error);
    }
    expect(types).toContain('reasoning-delta');
    expect(types).not.toContain('tool-call');
    expect(errors).not.toEqual([]);
  });

  it('can hang until the client disconnects', async () => {
    const server = await serve({ ...TASK, faults: [{ break: 'hang', step: 1 }] });
    const { commands, settings } = asked(protocol, server);
    const leave = new AbortController();
    const run = generateText({ ...settings, abortSignal: leave.signal });
    await server.until((requests) => requests.some(({ toolResults }) => toolResults === 1));
    leave.abort();
    await expect(run).rejects.toThrow(/abort/);
    expect(commands).toEqual(['echo one']);
  });
});
