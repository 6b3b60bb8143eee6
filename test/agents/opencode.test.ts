import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentEnd, AgentRequest, LaunchFile } from '../../src/agents/agent.js';
import { opencode } from '../../src/agents/opencode.js';
import { opencodeStream } from '../../src/agents/streams/opencode.js';
import type { EventBody } from '../../src/model/records/events.js';
import { survivesAnyLine } from './hostile-lines.js';
import { AT, classify, eventsOf, linesOf, ofType, usageOf } from './read-capture.js';

const agent = opencode({ args: [], models: [], env: {} });
const request: AgentRequest = {
  prompt: '-do it',
  model: 'anthropic/claude-sonnet-4-5',
  workspace: '/run/fixture',
  home: '/run/home',
  config: '/run/config',
  sessionId: '8b3ce0bf-7d09-4095-aa4f-3e72ea044e33',
  maxTurns: null,
  system: null,
  access: { key: 'the-key', baseUrl: null },
  mock: null,
  hasNode: true,
};
const name = (kind: string): string => `opencode-${kind}`;
const read = (...kinds: string[]): EventBody[] => eventsOf(opencodeStream(), ...kinds.map(name));
const configOf = (given: Partial<AgentRequest>): Record<string, unknown> =>
  JSON.parse(agent.launch({ ...request, ...given }).env['OPENCODE_CONFIG_CONTENT'] ?? '') as Record<string, unknown>;
const parse = (...lines: unknown[]): EventBody[] => {
  const parser = opencodeStream();
  return [...lines.flatMap((line) => parser.line(JSON.stringify(line))), ...parser.end()];
};

describe('the launch of OpenCode', () => {
  it('is headless, with the prompt on stdin and the key only in the environment', () => {
    const launch = agent.launch(request);
    expect(launch.argv.slice(0, 4)).toEqual(['opencode', 'run', '--format', 'json']);
    expect(launch.argv).toContain('--auto');
    expect(launch.argv.join(' ')).toContain('--print-logs --log-level ERROR --title task');
    expect(launch.stdin).toBe('-do it');
    const withKey = Object.entries(launch.env).filter(([, value]) => value.includes('the-key'));
    expect(withKey).toEqual([['LLM_TOOL_TEST_AGENT_KEY', 'the-key']]);
    expect(JSON.stringify([launch.argv, launch.files, launch.stdin])).not.toContain('the-key');
    expect(launch.files).toContainEqual({
      path: '/run/home/.config/opencode/.npmrc',
      content: 'offline=true\n',
    });
  });

  it('reads instructions and skills up to the folder of the run, which has an empty repository with the workspace only', async () => {
    const run = await mkdtemp(join(tmpdir(), 'opencode-'));
    onTestFinished(() => rm(run, { recursive: true }));
    const workspace = join(run, 'fixture');
    const filesOf = (changes: Partial<AgentRequest>): LaunchFile[] =>
      agent.launch({ ...request, workspace, ...changes }).files.filter(({ path }) => path.includes('/.git/'));
    expect(filesOf({ hasNode: false })).toEqual([]);
    for (const path of ['fixture/README.md', 'home/.secret']) {
      await mkdir(join(run, dirname(path)), { recursive: true });
      await writeFile(join(run, path), '');
    }
    for (const { path, content } of filesOf({})) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    const git = async (...args: string[]): Promise<string> => (await execa('git', args, { cwd: workspace })).stdout;
    expect(await git('rev-parse', '--show-toplevel')).toBe(await realpath(run));
    expect(await git('status', '--porcelain', '--untracked-files=all')).toBe('?? fixture/README.md');
  });

  it('disables updates, sharing and snapshots', () => {
    expect(configOf({})).toMatchObject({ autoupdate: false, share: 'disabled', snapshot: false });
  });

  it.each([
    ['anthropic/claude-x', 'https://a.test', 'https://a.test/v1'],
    ['openai/gpt-x', 'https://a.test/v1', 'https://a.test/v1'],
    ['google/gemini-x', 'https://a.test/', 'https://a.test/v1beta'],
  ])('for %s at %s configures a known provider at %s', (model, baseUrl, baseURL) => {
    const [provider = '', id = ''] = model.split('/');
    expect(configOf({ model, access: { key: 'k', baseUrl } })['provider']).toEqual({
      [provider]: { options: { apiKey: '{env:LLM_TOOL_TEST_AGENT_KEY}', baseURL }, models: { [id]: {} } },
    });
  });

  it('configures a provider of the config as compatible with OpenAI', () => {
    const access = { key: null, baseUrl: 'http://localhost:11434/api' };
    expect(configOf({ model: 'local/qwen/3', access })['provider']).toEqual({
      local: {
        npm: '@ai-sdk/openai-compatible',
        name: 'local',
        options: { baseURL: 'http://localhost:11434/api' },
        models: { 'qwen/3': {} },
      },
    });
  });

  it('passes the system prompt as instructions', () => {
    const given = { system: 'be brief' };
    expect(configOf(given)['instructions']).toEqual(['/run/config/system.md']);
    expect(agent.launch({ ...request, ...given }).files).toContainEqual({
      path: '/run/config/system.md',
      content: 'be brief',
    });
    expect(configOf({})).not.toHaveProperty('instructions');
  });

  it('follows the config', () => {
    const configured = opencode({
      command: 'oc',
      args: ['--variant', 'high'],
      models: ['a/b'],
      env: { X: '1' },
      auth: 'login',
    });
    const launch = configured.launch({ ...request, access: { key: null, baseUrl: null } });
    expect([configured.program, launch.argv[0], configured.models]).toEqual(['oc', 'oc', ['a/b']]);
    expect(launch.argv.slice(-2)).toEqual(['--variant', 'high']);
    expect(launch.env['X']).toBe('1');
    expect(configured.login?.map((file) => [file.home, file.at(request)])).toEqual([
      ['.local/share/opencode/auth.json', '/run/home/.local/share/opencode/auth.json'],
    ]);
    expect(JSON.stringify(launch.env)).not.toContain('apiKey');
  });

  it('resumes its session with the next prompt', () => {
    const launch = agent.resume?.(request, 'ses_1');
    expect(launch?.argv.join(' ')).toContain('--session ses_1');
    expect(launch?.argv).not.toContain('--title');
    expect(launch?.stdin).toContain(request.prompt);
  });

  it('requires a model with its provider', () => {
    expect(agent.provider('openai/gpt-x')).toBe('openai');
    expect(agent.modelProblem('openai/gpt-x')).toBeNull();
    expect(agent.provider('default')).toBeNull();
    expect(agent.modelProblem('default')).toContain('anthropic/claude-sonnet-4-5');
  });
});

describe('the stream of OpenCode', () => {
  it('has a session, messages, commands with their exit codes, and a result', () => {
    const events = read('toolerror');
    expect(ofType(events, 'session').map(({ session_id: id }) => id)).toEqual(['ses_dffed3c0dffeQFEZ3c3H2PajZ4']);
    const commands = ofType(events, 'tool_call').map(({ name: tool, command }) => [tool, command]);
    expect(commands).toEqual([
      ['bash', 'echo out1; echo oops >&2; exit 3'],
      ['bash', 'echo hello > out.txt'],
    ]);
    const results = ofType(events, 'tool_result');
    expect(results.map(({ exit_code, is_error }) => [exit_code, is_error])).toEqual([
      [3, true],
      [0, false],
    ]);
    expect(results.map(({ id }) => id)).toEqual(ofType(events, 'tool_call').map(({ id }) => id));
    expect(results[0]?.output).toBe('out1\noops\n');
    expect(ofType(events, 'message').map(({ text }) => text)).toEqual(['Trying.', 'Second try.', 'Recovered.']);
    expect(events.at(-1)).toEqual({ type: 'result', ending: 'done', exit_code: null });
  });

  it('has the tokens of each step of all starts', () => {
    expect(usageOf(read('toolerror'))).toEqual({
      input: 2700,
      output: 150,
      reasoning: 0,
      cache_read: 300,
      cache_write: 0,
      cost_usd: 0.01044,
    });
    expect(usageOf(read('kill-tool.1', 'kill-tool.2'))).toMatchObject({ input: 1800, cost_usd: 0.00696 });
  });

  it('has no cost for a model without a price', () => {
    const part = {
      reason: 'stop',
      tokens: { input: 5, output: 1, reasoning: 2, cache: { read: 3, write: 4 } },
      cost: 0,
    };
    expect(ofType(parse({ type: 'step_finish', part }), 'usage')).toEqual([
      { type: 'usage', input: 5, output: 1, reasoning: 2, cache_read: 3, cache_write: 4, cost_usd: null },
    ]);
  });

  it('has failed tool calls', () => {
    const state = { status: 'error', input: { filePath: 'x' }, error: 'File not found' };
    const events = parse({ type: 'tool_use', part: { tool: 'read', callID: '1', state } });
    expect(events).toEqual([
      { type: 'tool_call', id: '1', name: 'read', input: { filePath: 'x' }, command: null },
      {
        type: 'tool_result',
        id: '1',
        exit_code: null,
        is_error: true,
        output: 'File not found',
        truncated: false,
      },
    ]);
  });

  it('has reasoning, and unknown kinds as unknown events', () => {
    expect(parse({ type: 'reasoning', part: { text: 'Hmm.' } }, { type: 'new' }, 7)).toEqual([
      { type: 'reasoning', text: 'Hmm.' },
      { type: 'unknown', kind: 'new' },
      { type: 'unknown', kind: 'text' },
    ]);
  });

  it('cannot crash its parser', () => {
    survivesAnyLine(
      opencodeStream,
      ['toolerror', 'api400'].flatMap((kind) => linesOf(name(kind))),
    );
  });
});

describe('the end of OpenCode', () => {
  const failed = (data: object): unknown => {
    const [event] = parse({ type: 'error', error: { name: 'APIError', data } });
    return event?.type === 'error'
      ? agent.classify({ exitCode: 1, stopped: null, at: AT, result: null, error: event, stderr: '' }).again
      : event;
  };

  it.each([
    ['ok', 'done'],
    ['toolerror', 'done'],
    ['api429x2', 'done'],
    ['api400', 'unable'],
    ['api401', 'unable'],
  ])('in the capture %s is classified as %s', (kind, ending) => {
    expect(classify(agent, name(kind))).toMatchObject({ ending, again: null });
  });

  it.each(['kill-tool.1', 'int-tool.1', 'term-model.1'])(
    'in the capture %s came from outside, and it is started again',
    (kind) => {
      expect(classify(agent, name(kind))).toMatchObject({ ending: 'unable', again: { why: 'killed' } });
    },
  );

  describe('whose log has errors of requests', () => {
    const logged = (at: string, error: string): string =>
      `timestamp=${at} level=ERROR run=1 message="stream error" providerID=p small=false error.error=${JSON.stringify(error)}\n`;
    const classified = (stderr: string, changes: Partial<AgentEnd> = {}) =>
      agent.classify({
        exitCode: 143,
        stopped: 'deadline',
        at: 0,
        result: null,
        error: null,
        stderr,
        printedAt: Date.parse('2026-11-22T05:30:00Z'),
        ...changes,
      });
    const error = 'AI_APICallError: Cannot connect to API: "Unable to connect"';

    it('was not served if the last one came after the last output', () => {
      expect(classified(logged('2026-11-22T05:30:01.000Z', error))).toMatchObject({
        ending: 'unable',
        message: `its provider could not be reached: ${error}`,
        again: { why: 'busy' },
      });
      expect(classified(logged('2026-11-22T05:30:01.000Z', 'AI_APICallError: no words')).ending).toBe('unable');
    });

    it('was served again if it has printed something since', () => {
      expect(classified(logged('2026-11-22T05:29:59.000Z', error)).ending).toBe('timeout');
      expect(classified(logged('2026-11-22T05:29:59.000Z', error), { stopped: null, exitCode: 1 })).toMatchObject({
        ending: 'crashed',
        message: 'ended without reporting that it had finished; exit 1',
      });
    });

    it('is judged by nothing else in the log, and by no text of others on stderr', () => {
      for (const stderr of [
        `timestamp=2026-11-22T05:30:01.000Z level=ERROR run=1 message="server failed" error.error="ECONNREFUSED"\n`,
        `shop: ${logged('2026-11-22T05:30:01.000Z', error)}`,
      ])
        expect(classified(stderr).ending).toBe('timeout');
    });
  });

  it.each(['kill-tool', 'int-tool', 'term-model', 'resume-ok'])(
    'in the capture %s is classified as done after the session was resumed',
    (kind) => {
      expect(classify(agent, name(`${kind}.1`), name(`${kind}.2`)).ending).toBe('done');
    },
  );

  it('shows that the calls of a step that did not end are unknown, because it reports them when they have ended', () => {
    const cut = {
      type: 'unknown',
      kind: 'a step that did not end: its last calls are not shown',
      lost: 'call',
    };
    const [start, stop] = [{ type: 'step_start' }, { type: 'step_finish', part: { reason: 'stop' } }];
    expect(ofType(parse(start), 'unknown')).toEqual([cut]);
    expect(ofType(parse(start, start, stop), 'unknown')).toEqual([cut]);
    expect(ofType(parse(start, stop), 'unknown')).toEqual([]);
    expect(ofType(parse(start, { type: 'error', error: {} }), 'unknown')).toEqual([]);
    expect(ofType(eventsOf(opencodeStream(), 'opencode-kill-tool.1'), 'unknown')).toEqual([cut]);
    expect(ofType(eventsOf(opencodeStream(), 'opencode-ok'), 'unknown')).toEqual([]);
  });

  it('is not a success if another step has begun or an error follows', () => {
    const stop = { type: 'step_finish', part: { reason: 'stop' } };
    expect(ofType(parse(stop), 'result')).toHaveLength(1);
    expect(ofType(parse(stop, { type: 'step_start' }), 'result')).toEqual([]);
    expect(ofType(parse(stop, { type: 'error', error: {} }), 'result')).toEqual([]);
    expect(ofType(parse({ type: 'step_finish', part: { reason: 'tool-calls' } }), 'result')).toEqual([]);
  });

  it('has an error that says why the model stopped', () => {
    expect(parse({ type: 'step_finish', part: { reason: 'length' } }).slice(-2)).toEqual([
      { type: 'error', message: 'the model stopped: length', retryable: false },
      { type: 'result', ending: 'gave_up', exit_code: null },
    ]);
  });

  it('has the time to retry that the provider gave', () => {
    const headers = { 'retry-after': '30' };
    expect(failed({ message: 'Too many', statusCode: 429, isRetryable: true, responseHeaders: headers })).toEqual({
      why: 'busy',
      at: AT + 30_000,
    });
    expect(failed({ message: 'Overloaded', statusCode: 529, isRetryable: true })).toEqual({
      why: 'busy',
      at: null,
    });
  });

  it("is not blamed on the provider for OpenCode's own failures", () => {
    const data = { message: 'Unexpected server error. Check server logs for details.', ref: 'err_1' };
    expect(failed(data)).toBeNull();
  });
});
