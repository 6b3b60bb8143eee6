import { execa } from 'execa';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AgentRequest } from '../../src/agents/agent.js';
import { piStream } from '../../src/agents/streams/pi.js';
import { pi } from '../../src/agents/pi.js';
import { survivesAnyLine } from './hostile-lines.js';
import { classify, eventsOf, linesOf, ofType } from './read-capture.js';
import { capturesOf, NO_SETTINGS, REQUEST } from './requests.js';

const agent = pi(NO_SETTINGS);
const MODEL = 'anthropic/claude-sonnet-4-5';
const launch = (changes: Partial<AgentRequest>) => agent.launch({ ...REQUEST, model: MODEL, ...changes });
const fileOf = (name: string, changes: Partial<AgentRequest>): unknown => {
  const file = launch(changes).files.find(({ path }) => path === `/run/config/${name}`);
  return file === undefined ? undefined : JSON.parse(file.content);
};

describe('the launch of pi', () => {
  it('passes the prompt on standard input, and keeps all of its own files in the private folder', () => {
    const { argv, env, stdin } = launch({ access: { key: 'the-key', baseUrl: null } });
    expect(argv).toEqual([
      ...['pi', '--mode', 'json', '-p', '--provider', 'anthropic', '--model', 'claude-sonnet-4-5'],
      ...['--no-extensions', '--no-prompt-templates', '--offline'],
      ...['--extension', '/run/config/short-updates.js'],
      ...['--extension', '/run/config/own-instructions-only.js'],
    ]);
    expect(env).toEqual({
      PI_CODING_AGENT_DIR: '/run/config',
      PI_TELEMETRY: '0',
      ANTHROPIC_API_KEY: 'the-key',
    });
    expect(stdin).toBe('- Do it\nnow');
    expect(fileOf('models.json', {})).toBeUndefined();
  });

  it('sets another address for a provider that pi knows, in the form that pi needs', () => {
    const addressOf = (model: string, baseUrl: string) =>
      fileOf('models.json', { model, access: { key: null, baseUrl } });
    const at = (provider: string, baseUrl: string) => ({ providers: { [provider]: { baseUrl } } });
    for (const given of ['http://proxy', 'http://proxy/v1', 'http://proxy/v1/'])
      expect(addressOf(MODEL, given)).toEqual(at('anthropic', 'http://proxy'));
    for (const given of ['http://proxy', 'http://proxy/v1'])
      expect(addressOf('openai/gpt-5.5', given)).toEqual(at('openai', 'http://proxy/v1'));
    for (const given of ['http://proxy', 'http://proxy/v1beta'])
      expect(addressOf('google/gemini-2.5-pro', given)).toEqual(at('google', 'http://proxy/v1beta'));
  });

  it('describes a provider of the config with the variable of its key, never with the key', () => {
    const request = {
      model: 'local/org/model:8b',
      access: { key: 'the-key', baseUrl: 'http://localhost:1234/v1' },
    };
    const { argv, env, files } = launch(request);
    expect(env).toMatchObject({ PI_PROVIDER_KEY: 'the-key' });
    expect(fileOf('models.json', request)).toEqual({
      providers: {
        local: {
          baseUrl: 'http://localhost:1234/v1',
          api: 'openai-completions',
          apiKey: 'PI_PROVIDER_KEY',
          models: [{ id: 'org/model:8b' }],
        },
      },
    });
    expect(JSON.stringify([argv, files])).not.toContain('the-key');
  });

  it("appends the run's system prompt to pi's own", () => {
    const { argv, files } = launch({ system: 'Be brief.' });
    expect(argv.slice(-2)).toEqual(['--append-system-prompt', '/run/config/system.md']);
    expect(files).toContainEqual({ path: '/run/config/system.md', content: 'Be brief.' });
  });

  it("adds the settings of the project's config", () => {
    const mine = pi({ ...NO_SETTINGS, command: '/opt/pi', args: ['--thinking', 'high'], env: { A: 'b' } });
    const { argv, env } = mine.launch({ ...REQUEST, model: MODEL });
    expect(argv[0]).toBe('/opt/pi');
    expect(argv.slice(-2)).toEqual(['--thinking', 'high']);
    expect(env).toMatchObject({ A: 'b' });
  });

  it('resumes a session by its id, with the next prompt', () => {
    const { argv, stdin } = agent.resume?.({ ...REQUEST, model: MODEL }, 'session-1') ?? launch({});
    expect(argv.slice(-2)).toEqual(['--session', 'session-1']);
    expect(stdin).toContain(REQUEST.prompt);
  });

  it('with the login of the user, passes neither key nor address', () => {
    const own = pi({ ...NO_SETTINGS, auth: 'login' });
    expect(own.login?.map((file) => [file.home, file.at(REQUEST)])).toEqual([
      ['.pi/agent/auth.json', '/run/config/auth.json'],
    ]);
    const access = { key: 'the-key', baseUrl: 'http://proxy' };
    const { env, files } = own.launch({ ...REQUEST, model: MODEL, access });
    expect(Object.keys(env)).toEqual(['PI_CODING_AGENT_DIR', 'PI_TELEMETRY']);
    expect(files.map(({ path }) => path)).toEqual([
      '/run/config/settings.json',
      '/run/.git/README',
      '/run/config/short-updates.js',
      '/run/config/own-instructions-only.js',
    ]);
  });

  it('requires a model with its provider', () => {
    expect(agent.provider(MODEL)).toBe('anthropic');
    expect(agent.provider('default')).toBeNull();
    expect(agent.modelProblem(MODEL)).toBeNull();
    expect(agent.modelProblem('default')).toMatch(/like "anthropic\/claude-sonnet-4-5"/);
  });
});

describe("the extension of pi that leaves the user's instructions out", () => {
  type ContextFile = { path: string; content: string };
  type Event = { systemPrompt: string; systemPromptOptions: { cwd: string; contextFiles?: ContextFile[] } };
  const HEADING = '# Project Context\n\nProject-specific instructions and guidelines:\n\n';
  const textOf = (files: ContextFile[]): string =>
    files.map(({ path, content }) => `## ${path}\n\n${content}\n\n`).join('');

  async function promptAfter(systemPrompt: string, contextFiles?: ContextFile[]): Promise<string> {
    const { content } =
      launch({}).files.find(({ path }) => path.endsWith('own-instructions-only.js')) ?? fail('no extension');
    const module = (await import(`data:text/javascript,${encodeURIComponent(content)}`)) as {
      default: (pi: { on: (event: string, handler: (event: Event) => Partial<Event>) => void }) => void;
    };
    let prompt: string | undefined;
    module.default({
      on: (event, handler) => {
        expect(event).toBe('before_agent_start');
        const options = { cwd: '/run/fixture', ...(contextFiles === undefined ? {} : { contextFiles }) };
        ({ systemPrompt: prompt } = handler({ systemPrompt, systemPromptOptions: options }));
      },
    });
    return prompt ?? fail('no prompt');
  }

  beforeEach(() => {
    vi.stubEnv('PI_CODING_AGENT_DIR', '/run/config');
    vi.spyOn(console, 'error').mockReturnValue();
    vi.spyOn(process, 'exit').mockImplementation((code) => fail(`exit ${code}`));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    });
  });

  const above = [
    { path: '/AGENTS.md', content: "Costs $& and $'1." },
    { path: '/run/AGENTS.md', content: 'Above.' },
    { path: '/run/fixture-of-another/AGENTS.md', content: 'Beside.' },
  ];
  const own = [
    { path: '/run/config/AGENTS.md', content: 'Under test.' },
    { path: '/run/fixture/AGENTS.md', content: 'Of the scenario.' },
  ];

  it('takes out those above the workspace, and keeps those of the run', async () => {
    const all = [own[0], ...above, own[1]].filter((file) => file !== undefined);
    const prompt = await promptAfter(`You help.\n\n${HEADING}${textOf(all)}The end.`, all);
    expect(prompt).toBe(`You help.\n\n${HEADING}${textOf(own)}The end.`);
  });

  it('takes out the heading where no instructions are left, and nothing where there were none', async () => {
    expect(await promptAfter(`A.${HEADING}${textOf(above)}B.`, above)).toBe('A.B.');
    expect(await promptAfter(`A.${HEADING}B.`, [])).toBe(`A.${HEADING}B.`);
  });

  it('ends pi if the prompt has another form than the known one', async () => {
    await expect(promptAfter('A.', above)).rejects.toThrow('exit 1');
    await expect(promptAfter('A.')).rejects.toThrow('exit 1');
  });
});

describe('the extension of pi that shortens its output', () => {
  it('prints only the types of pieces of an answer or an output, and everything else unchanged', async () => {
    const { content = '' } =
      launch({ hasNode: false }).files.find(({ path }) => path.endsWith('short-updates.js')) ?? {};
    const script = `import start from ${JSON.stringify(`data:text/javascript,${encodeURIComponent(content)}`)};
start();
const whole = { text: 'x'.repeat(100_000) };
for (const type of ['message_update', 'tool_execution_update', 'message_end'])
  console.log(JSON.stringify({ type, message: whole }).length);
console.log(JSON.stringify([undefined, null, { a: [1] }], null, 1), JSON.stringify(undefined), JSON.stringify(null));`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', script]);
    const lengths = stdout.split('\n').slice(0, 3).map(Number);
    expect(lengths).toEqual([25, 32, 100_044]);
    expect(stdout.split('\n').slice(3).join('\n')).toBe(
      `${JSON.stringify([null, null, { a: [1] }], null, 1)} undefined null`,
    );
  });
});

describe('the stream of pi', () => {
  it('is parsed completely', () => {
    const id = 'call_ivw9o6c4e4mwqwrv1b';
    const session = {
      type: 'session',
      session_id: '01a1fff8-1d6a-73ba-85be-de08acb4b807',
      model_requested: null,
    };
    const usage = {
      type: 'usage',
      input: 900,
      output: 50,
      reasoning: null,
      cache_read: 100,
      cache_write: 0,
      cost_usd: 0.00348,
    };
    const command = 'echo hello > out.txt && cat out.txt';
    expect(eventsOf(piStream(), 'pi-ok')).toEqual([
      { ...session, model_used: null },
      { ...session, model_used: 'fake/fake-model' },
      { type: 'message', role: 'assistant', text: 'I will run it.' },
      usage,
      { type: 'tool_call', id, name: 'bash', input: { command }, command },
      { type: 'tool_result', id, exit_code: 0, is_error: false, output: 'hello\n', truncated: false },
      { type: 'message', role: 'assistant', text: 'All done: the file out.txt was created.' },
      usage,
      { type: 'result', ending: 'done', exit_code: null },
    ]);
  });

  it('has the exit code of a failed command', () => {
    const [failed, other] = ofType(eventsOf(piStream(), 'pi-toolerror'), 'tool_result');
    expect(failed).toMatchObject({ exit_code: 3, is_error: true });
    expect(other).toMatchObject({ exit_code: 0, is_error: false });
  });

  it('has no exit code for stopped commands and for tools other than the shell', () => {
    const resultOf = (toolName: string, isError: boolean, text: string) => {
      const line = {
        type: 'tool_execution_end',
        toolCallId: 'c',
        toolName,
        isError,
        result: { content: [{ text }] },
      };
      return piStream().line(JSON.stringify(line))[0];
    };
    expect(resultOf('bash', true, 'Command timed out after 5 seconds')).toMatchObject({
      exit_code: null,
      is_error: true,
    });
    expect(resultOf('read', false, 'text')).toMatchObject({ exit_code: null, is_error: false });
  });

  it('has reasoning', () => {
    expect(ofType(eventsOf(piStream(), 'pi-reasoning'), 'reasoning').map(({ text }) => text)).toEqual([
      'Let me think about it.',
      'It worked.',
    ]);
  });

  it('has the usage of each start when a session is resumed', () => {
    const counts = ofType(eventsOf(piStream(), 'pi-resume-ok.1', 'pi-resume-ok.2'), 'usage');
    expect(counts.map(({ input, cache_read }) => [input, cache_read])).toEqual(Array(4).fill([900, 100]));
  });

  it('is still being answered after a piece of an answer, however short its line is', () => {
    const parser = piStream();
    parser.line('{"type":"message_update"}');
    expect(parser.usagePending()).toBe(true);
  });

  it('has no end after an answer without anything in it, for example if a page came in its place', () => {
    const events = eventsOf(piStream(), 'pi-page-200');
    expect(ofType(events, 'result')).toEqual([]);
    expect(ofType(events, 'error')).toMatchObject([{ retryable: true }]);
  });

  it('has no cost for a model without a price', () => {
    const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: { total: 0 } };
    const message = { role: 'assistant', content: [], stopReason: 'stop', usage };
    expect(ofType(piStream().line(JSON.stringify({ type: 'message_end', message })), 'usage')).toMatchObject([
      { input: 10, output: 5, cost_usd: null },
    ]);
  });

  it('has the status of every error, and a result only after an answer', () => {
    const events = eventsOf(piStream(), 'pi-rate-limit');
    expect(ofType(events, 'error')).toMatchObject(Array(4).fill({ status: 429, retryable: true }));
    expect(ofType(eventsOf(piStream(), 'pi-bad-key'), 'error')).toMatchObject([{ status: 401, retryable: false }]);
    for (const capture of ['pi-rate-limit', 'pi-bad-key', 'pi-kill-tool.1', 'pi-int-tool.1', 'pi-term-model.1'])
      expect(ofType(eventsOf(piStream(), capture), 'result')).toEqual([]);
  });

  it('has no unknown lines in any capture', () => {
    const kinds = capturesOf('pi').flatMap((capture) => ofType(eventsOf(piStream(), capture), 'unknown'));
    expect(kinds).toEqual([]);
  });

  it('becomes valid events, whatever is printed', () => {
    survivesAnyLine(piStream, capturesOf('pi').flatMap(linesOf));
  });
});

describe('the end of pi', () => {
  it.each([
    ['ok', 'done', null],
    ['api429x2', 'done', null],
    ['kill-tool.1', 'unable', 'killed'],
    ['int-tool.1', 'unable', 'killed'],
    ['term-model.1', 'unable', 'killed'],
    ['api400', 'unable', null],
    ['api401', 'unable', null],
    ['bad-key', 'unable', null],
    ['forbidden', 'unable', null],
    ['model-not-found', 'unable', null],
    ['context-length', 'gave_up', null],
    ['rate-limit', 'unable', 'busy'],
    ['overloaded', 'unable', 'busy'],
    ['server-error', 'unable', 'busy'],
    ['cut', 'unable', 'busy'],
    ['reset', 'unable', 'busy'],
    ['error-event', 'unable', 'busy'],
    ['usage-limit', 'unable', 'limit'],
  ])('in the capture %s is classified as %s', (capture, ending, why) => {
    const { again, ...rest } = classify(agent, `pi-${capture}`);
    expect(rest.ending).toBe(ending);
    expect(again?.why ?? null).toBe(why);
  });

  it('is not a success if the answer reached its maximum length', () => {
    const [result] = piStream().line('{"type":"agent_end","messages":[{"stopReason":"length"}]}');
    expect(result).toMatchObject({ type: 'result', ending: 'gave_up' });
  });
});

function fail(message: string): never {
  throw new Error(message);
}
