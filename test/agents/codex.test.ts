import { describe, expect, it } from 'vitest';
import type { AgentRequest } from '../../src/agents/agent.js';
import { codexStream } from '../../src/agents/streams/codex.js';
import { codex } from '../../src/agents/codex.js';
import { survivesAnyLine } from './hostile-lines.js';
import { classify, eventsOf, linesOf, ofType } from './read-capture.js';
import { capturesOf, NO_SETTINGS, REQUEST } from './requests.js';

const agent = codex(NO_SETTINGS);
const access = { key: 'the-key', baseUrl: null };
const launch = (changes: Partial<AgentRequest>) => agent.launch({ ...REQUEST, ...changes });
const config = (changes: Partial<AgentRequest>): string => launch(changes).files[0]?.content ?? '';

describe('the launch of codex', () => {
  it('passes the prompt on standard input, and keeps all of its own files in the private folder', () => {
    expect(launch({ access })).toMatchObject({
      argv: [
        ...['codex', 'exec', '--json', '--skip-git-repo-check'],
        ...['--dangerously-bypass-approvals-and-sandbox', '-'],
      ],
      env: { CODEX_HOME: '/run/config', CODEX_PROVIDER_KEY: 'the-key' },
      stdin: '- Do it\nnow',
      files: [{ path: '/run/config/config.toml' }],
    });
  });

  it('leaves the model to codex unless the cell names one', () => {
    expect(config({ model: 'default' })).not.toMatch(/^model = /m);
    expect(config({ model: 'gpt-5.5' })).toContain('model = "gpt-5.5"\n');
    expect(config({ model: 'openai/gpt-5.5' })).toContain('model = "gpt-5.5"\n');
    expect(config({ model: 'local/org/model' })).toContain('model = "org/model"\n');
  });

  it('does not use a login shell for commands: it would reset PATH and hide the target', () => {
    expect(config({})).toMatch(/^allow_login_shell = false$/m);
  });

  it("uses the provider's address, and adds the API version for OpenAI", () => {
    const address = (model: string, baseUrl: string | null): string | undefined =>
      /base_url = "(.*)"/.exec(config({ model, access: { key: null, baseUrl } }))?.[1];
    expect(address('gpt-5.5', null)).toBe('https://api.openai.com/v1');
    expect(address('gpt-5.5', 'http://proxy')).toBe('http://proxy/v1');
    expect(address('gpt-5.5', 'http://proxy/v1/')).toBe('http://proxy/v1');
    expect(address('local/m', 'http://localhost:1234/api')).toBe('http://localhost:1234/api');
  });

  it('names the variable of the key if there is one, but never the key', () => {
    expect(config({ access })).toContain('env_key = "CODEX_PROVIDER_KEY"');
    expect(JSON.stringify([launch({ access }).argv, launch({ access }).files])).not.toContain('the-key');
    expect(config({ access: { key: null, baseUrl: 'http://localhost' } })).not.toContain('env_key');
  });

  it('passes the system prompt as developer instructions', () => {
    expect(config({ system: 'Be "brief"\\\n\u007f' })).toContain(
      'developer_instructions = "Be \\"brief\\"\\\\\\n\\u007f"\n',
    );
  });

  it("adds the settings of the project's config", () => {
    const mine = codex({
      ...NO_SETTINGS,
      command: '/opt/codex',
      args: ['-c', 'x=1'],
      env: { CODEX_HOME: '/mine', A: 'b' },
    });
    expect(mine.launch(REQUEST)).toMatchObject({
      argv: expect.arrayContaining(['/opt/codex', '-c', 'x=1']) as string[],
      env: { CODEX_HOME: '/mine', A: 'b' },
    });
    expect(mine.version).toEqual(['/opt/codex', '--version']);
  });

  it('resumes a session by its id, with the next prompt', () => {
    const { argv, stdin, files } = agent.resume?.({ ...REQUEST, access }, 'thread-1') ?? launch({});
    expect(argv.slice(-3)).toEqual(['resume', 'thread-1', '-']);
    expect(stdin).toContain(REQUEST.prompt);
    expect(files).toEqual(launch({ access }).files);
  });

  it('with the login of the user, passes neither key nor address', () => {
    const own = codex({ ...NO_SETTINGS, auth: 'login' });
    expect(own.login?.map((file) => [file.home, file.at(REQUEST)])).toEqual([
      ['.codex/auth.json', '/run/config/auth.json'],
    ]);
    const { env, files } = own.launch({ ...REQUEST, access: { key: 'the-key', baseUrl: 'http://proxy' } });
    expect(env).toEqual({ CODEX_HOME: '/run/config' });
    expect(files[0]?.content).not.toContain('provider');
    expect(agent.login).toBeNull();
  });

  it('refuses models of providers that do not support its API', () => {
    expect(agent.provider('gpt-5.5')).toBe('openai');
    expect(agent.provider('local/m')).toBe('local');
    expect(agent.modelProblem('default')).toBeNull();
    expect(agent.modelProblem('local/m')).toBeNull();
    expect(agent.modelProblem('anthropic/claude-sonnet-4-5')).toMatch(/Responses API.*"gpt-5\.5"/);
  });
});

describe('the stream of codex', () => {
  it('is parsed completely', () => {
    expect(eventsOf(codexStream(), 'codex-ok')).toEqual([
      {
        type: 'session',
        session_id: '01a20012-23b9-73e1-b0ac-b12cda56ecf5',
        model_requested: null,
        model_used: null,
      },
      { type: 'message', role: 'assistant', text: 'I will run it.' },
      {
        type: 'tool_call',
        id: 'item_1',
        name: 'command_execution',
        input: { command: "/bin/bash -lc 'echo hello > out.txt && cat out.txt'" },
        command: 'echo hello > out.txt && cat out.txt',
      },
      {
        type: 'tool_result',
        id: 'item_1',
        exit_code: 0,
        is_error: false,
        output: 'hello\n',
        truncated: false,
      },
      { type: 'message', role: 'assistant', text: 'All done: the file out.txt was created.' },
      {
        type: 'usage',
        input: 1800,
        output: 100,
        reasoning: 0,
        cache_read: 200,
        cache_write: 0,
        cost_usd: null,
      },
      { type: 'result', ending: 'done', exit_code: null },
    ]);
  });

  it('has the exit code of a failed command', () => {
    const [failed, other] = ofType(eventsOf(codexStream(), 'codex-toolerror'), 'tool_result');
    expect(failed).toMatchObject({ exit_code: 3, is_error: true, output: 'out1\noops\n' });
    expect(other).toMatchObject({ exit_code: 0, is_error: false });
  });

  it('has reasoning, with its tokens counted separately from those of the answer', () => {
    const events = eventsOf(codexStream(), 'codex-reasoning');
    expect(ofType(events, 'reasoning').map(({ text }) => text)).toEqual(['Let me think about it.', 'It worked.']);
    expect(ofType(events, 'usage')).toMatchObject([{ input: 2000, cache_read: 200, output: 100, reasoning: 30 }]);
  });

  it('counts no token twice when a session is resumed', () => {
    const counts = ofType(eventsOf(codexStream(), 'codex-resume-ok.1', 'codex-resume-ok.2'), 'usage');
    const each = { input: 1800, cache_read: 200, output: 100, reasoning: 0 };
    expect(counts).toMatchObject([each, each]);
  });

  it('keeps calls of several starts apart', () => {
    const calls = ofType(eventsOf(codexStream(), 'codex-resume-ok.1', 'codex-resume-ok.2'), 'tool_call');
    expect(calls.map(({ id }) => id)).toEqual(['item_1', 'item_1.2']);
  });

  it('has no result if codex was killed', () => {
    for (const capture of ['codex-kill-tool.1', 'codex-int-tool.1', 'codex-term-model.1'])
      expect(ofType(eventsOf(codexStream(), capture), 'result')).toEqual([]);
  });

  it('has only a note, not an error, if codex does not know the model', () => {
    const events = eventsOf(codexStream(), 'codex-api401');
    const [note] = ofType(events, 'message');
    expect(note?.role).toBe('system');
    expect(note?.text).toContain('Model metadata for `gpt-5.2-codex` not found');
    expect(ofType(events, 'error').map(({ status }) => status)).toEqual(Array(6).fill(401));
  });

  it('has no unknown lines in any capture', () => {
    for (const capture of capturesOf('codex')) expect(ofType(eventsOf(codexStream(), capture), 'unknown')).toEqual([]);
  });

  it('shows commands as the model wrote them, whatever the quoting', () => {
    const commandOf = (command: string) => {
      const item = { id: 'item_1', type: 'command_execution', command };
      const [call] = codexStream().line(JSON.stringify({ type: 'item.started', item }));
      return call?.type === 'tool_call' ? call.command : null;
    };
    expect(commandOf('/bin/bash -lc ls')).toBe('ls');
    expect(commandOf(`bash -lc "echo 'a'"`)).toBe("echo 'a'");
    expect(commandOf(`/bin/zsh -c "it='it'\\"'\\"'s "'$x'"'; echo \\""'$it"'`)).toBe(`it='it'"'"'s $x'; echo "$it"`);
    expect(commandOf('make test')).toBe('make test');
    expect(commandOf('bash script.sh')).toBe('bash script.sh');
  });

  it('marks truncated output of a command', () => {
    const truncated = (output: string) => {
      const item = {
        id: 'i',
        type: 'command_execution',
        command: 'ls',
        aggregated_output: output,
        exit_code: 0,
      };
      const [event] = ofType(codexStream().line(JSON.stringify({ type: 'item.completed', item })), 'tool_result');
      return event?.truncated;
    };
    expect(truncated('first\n…1234 tokens truncated…last')).toBe(true);
    expect(truncated('first\n…12 chars truncated…last')).toBe(true);
    expect(truncated('first\n[... omitted 50 of 300 lines ...]\nlast')).toBe(true);
    expect(truncated('the whole…')).toBe(false);
  });

  it('has the calls of other tools, and unknown lines as unknown events', () => {
    const line = (value: unknown) => parser.line(JSON.stringify(value));
    const parser = codexStream();
    const mcp = { id: 'i', type: 'mcp_tool_call', server: 's', tool: 't', arguments: { a: 1 } };
    expect(line({ type: 'item.started', item: mcp })).toMatchObject([
      { type: 'tool_call', id: 'i', name: 's.t', input: { a: 1 }, command: null },
    ]);
    expect(
      line({ type: 'item.completed', item: { ...mcp, status: 'failed', error: { message: 'no' } } }),
    ).toMatchObject([{ type: 'tool_result', id: 'i', exit_code: null, is_error: true, output: '{"message":"no"}' }]);
    const change = {
      id: 'j',
      type: 'file_change',
      changes: [{ path: 'a', kind: 'add' }],
      status: 'completed',
    };
    expect(line({ type: 'item.completed', item: change })).toMatchObject([
      { type: 'tool_call', name: 'file_change', input: { changes: change.changes } },
      { type: 'tool_result', is_error: false },
    ]);
    expect(line({ type: 'item.completed', item: { type: 'new' } })).toEqual([
      { type: 'unknown', kind: 'item.completed new' },
    ]);
    expect(line({ type: 'thread.new' })).toEqual([{ type: 'unknown', kind: 'thread.new' }]);
    expect(parser.line('Reading additional input')).toEqual([{ type: 'unknown', kind: 'text' }]);
    expect(parser.line(' ')).toEqual([]);
  });

  it('becomes valid events, whatever is printed', () => {
    survivesAnyLine(codexStream, capturesOf('codex').flatMap(linesOf));
  });

  it('may have very long and deeply nested lines', () => {
    const [, , , , done = ''] = linesOf('codex-ok');
    const long = done.replace('hello\\n', 'x'.repeat(5_000_000));
    expect(codexStream().line(long).at(-1)).toMatchObject({ exit_code: 0, output: 'x'.repeat(5_000_000) });
    expect(codexStream().line(`{"type":${'['.repeat(5000)}${']'.repeat(5000)}}`)).toEqual([
      { type: 'unknown', kind: 'text', lost: 'event' },
    ]);
  });
});

describe('a turn of codex', () => {
  const answer = { type: 'item.completed', item: { id: '1', type: 'agent_message', text: 'Done.' } };
  const tool = { type: 'item.completed', item: { id: '2', type: 'command_execution', command: 'x' } };
  const lastOf = (...lines: object[]) => {
    const parser = codexStream();
    const all = [{ type: 'turn.started' }, ...lines, { type: 'turn.completed', usage: {} }];
    return all.flatMap((line) => parser.line(JSON.stringify(line))).at(-1);
  };

  it('is complete if the model has said something at its end', () => {
    for (const lines of [[answer], [tool, answer], [answer, tool, answer]])
      expect(lastOf(...lines)).toMatchObject({ type: 'result', ending: 'done' });
  });

  it('is not complete if its answer was withheld, which codex does not report', () => {
    for (const lines of [[], [tool], [answer, tool]])
      expect(lastOf(...lines)).toMatchObject({ type: 'error', retryable: false });
  });
});

describe('the end of codex', () => {
  it.each([
    ['ok', 'done', null],
    ['api429x2', 'done', null],
    ['kill-tool.1', 'unable', 'killed'],
    ['int-tool.1', 'crashed', null],
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
    const { again, ...rest } = classify(agent, `codex-${capture}`);
    expect(rest.ending).toBe(ending);
    expect(again?.why ?? null).toBe(why);
  });

  it("has a message with the provider's words", () => {
    expect(classify(agent, 'codex-api400').message).toBe('its provider refused the request: fake error 400');
    expect(classify(agent, 'codex-rate-limit').message).toContain('429 Too Many Requests');
  });

  it('is not blamed on the target if the prompt is longer than codex accepts', () => {
    const stderr = 'Error: turn/start failed: Input exceeds the maximum length of 1048576 characters. (code -32602)';
    expect(agent.classify({ exitCode: 1, stopped: null, at: 0, result: null, error: null, stderr })).toMatchObject({
      ending: 'unable',
      again: null,
    });
  });
});
