import { describe, expect, it } from 'vitest';
import type { AgentEnd, AgentRequest, AgentSettings } from '../../src/agents/agent.js';
import { classifyByExit } from '../../src/agents/failures/classify.js';
import { commandAgent } from '../../src/agents/command.js';
import { knownAgents } from '../../src/agents/known-agents.js';

const settings = (changes: Partial<AgentSettings> = {}): AgentSettings => ({
  command: 'my-agent',
  args: [],
  prompt: 'arg',
  output: 'text',
  models: [],
  free: false,
  env: {},
  ...changes,
});

const REQUEST: AgentRequest = {
  prompt: 'Do {model} it\n--now',
  model: 'big-1',
  workspace: '/work space',
  home: '/home',
  config: '/config',
  sessionId: '00000000-0000-4000-a000-000000000000',
  maxTurns: null,
  system: null,
  access: null,
  mock: null,
  hasNode: true,
};

const launch = (changes: Partial<AgentSettings>) => commandAgent('mine', settings(changes)).launch(REQUEST);

describe('an agent defined in the config', () => {
  it('gets the prompt as its last argument', () => {
    expect(launch({ args: ['run', '--yes'], prompt: 'arg' })).toEqual({
      argv: ['my-agent', 'run', '--yes', REQUEST.prompt],
      env: { LLM_TOOL_TEST_MODEL: 'big-1' },
      stdin: '',
      files: [],
    });
  });

  it('gets the prompt on its standard input', () => {
    expect(launch({ args: ['-'], prompt: 'stdin' })).toMatchObject({
      argv: ['my-agent', '-'],
      stdin: REQUEST.prompt,
      files: [],
    });
  });

  it('gets the path of a file with the prompt as its last argument', () => {
    expect(launch({ args: ['--file'], prompt: 'file' })).toMatchObject({
      argv: ['my-agent', '--file', '/config/prompt.txt'],
      stdin: '',
      files: [{ path: '/config/prompt.txt', content: REQUEST.prompt }],
    });
  });

  it('gets the path of that file at its placeholder', () => {
    expect(launch({ args: ['--file={prompt_file}', '--quiet'], prompt: 'file' }).argv).toEqual([
      'my-agent',
      '--file=/config/prompt.txt',
      '--quiet',
    ]);
  });

  it('gets the values of placeholders in its arguments; the prompt and all other text stay unchanged', () => {
    const args = ['--model={model}', '{workspace}/{model}/{model}', '{other}', '{{model}}', '{MODEL}', '$model'];
    expect(launch({ args }).argv).toEqual([
      'my-agent',
      '--model=big-1',
      '/work space/big-1/big-1',
      '{other}',
      '{big-1}',
      '{MODEL}',
      '$model',
      REQUEST.prompt,
    ]);
  });

  it('gets the name of the model unchanged even if it looks like a placeholder or a replacement pattern', () => {
    const agent = commandAgent('mine', settings({ args: ['{model}', '{workspace}'] }));
    const { argv } = agent.launch({ ...REQUEST, model: '{workspace} $& $1' });
    expect(argv.slice(1, 3)).toEqual(['{workspace} $& $1', '/work space']);
  });

  it('gets its own variables and the name of the model', () => {
    expect(launch({ env: { KEY: 'value', LLM_TOOL_TEST_MODEL: 'other' } }).env).toEqual({
      KEY: 'value',
      LLM_TOOL_TEST_MODEL: 'big-1',
    });
  });

  it('is asked for its version with a shell command if the config has one', () => {
    expect(commandAgent('mine', settings({ version_command: 'my-agent -V | head -1' })).version).toEqual([
      'sh',
      '-c',
      'my-agent -V | head -1',
    ]);
    expect(commandAgent('mine', settings()).version).toBeNull();
  });

  it('prints events or text', () => {
    const event = '{"type":"reasoning","text":"r"}';
    expect(
      commandAgent('mine', settings({ output: 'jsonl' }))
        .parser()
        .line(event),
    ).toHaveLength(1);
    const text = commandAgent('mine', settings({ output: 'text' })).parser();
    expect(text.line(event)).toEqual([]);
    expect(text.end()).toMatchObject([{ type: 'message', text: event }]);
  });

  it('replaces a built-in agent of the same name', () => {
    expect([...knownAgents({}).keys()]).toContain('mock');
    const agents = knownAgents({ mock: settings(), mine: settings({ models: ['m'] }) });
    expect(agents.get('mock')?.free).toBe(false);
    expect(agents.get('mine')?.models).toEqual(['m']);
    expect(agents.get('toString')).toBeUndefined();
  });
});

describe('the end of an agent', () => {
  const end = (changes: Partial<AgentEnd>): AgentEnd => ({
    exitCode: 0,
    stopped: null,
    at: 0,
    result: null,
    error: null,
    stderr: '',
    ...changes,
  });
  const error = { type: 'error', message: 'no credit', retryable: false } as const;

  it.each([
    [{}, 'done', 'completed'],
    [{ exitCode: 1 }, 'gave_up', 'exit 1'],
    [{ exitCode: 1, stderr: 'first\nthe reason\n\n' }, 'gave_up', 'exit 1: the reason'],
    [{ exitCode: 2, stderr: 'noise', error: { ...error, message: 'no such file' } }, 'gave_up', 'exit 2: no such file'],
    [{ exitCode: 2, error }, 'unable', 'the account has no credit or no access: no credit'],
    [{ exitCode: 0, error }, 'done', 'completed'],
    [{ exitCode: 0, stderr: 'only a warning' }, 'done', 'completed'],
    [{ exitCode: 126, stderr: 'sh: x: Permission denied' }, 'unable', 'exit 126: sh: x: Permission denied'],
    [{ exitCode: 127 }, 'unable', 'exit 127'],
    [{ exitCode: 128 }, 'gave_up', 'exit 128'],
    [{ exitCode: 139 }, 'crashed', 'exit 139'],
    [{ exitCode: 137, stopped: 'cancel' }, 'cancelled', 'cancelled'],
    [{ exitCode: 0, stopped: 'cancel' }, 'cancelled', 'cancelled'],
    [{ exitCode: 143, stopped: 'deadline' }, 'timeout', 'timed out'],
    [{ exitCode: 143, stopped: 'idle' }, 'idle_timeout', 'stopped: no output within the idle timeout'],
  ] as const)('%j is %s', (changes, ending, message) => {
    expect(classifyByExit(end(changes))).toEqual({ ending, message, again: null });
  });

  it('has a message of readable length', () => {
    expect(classifyByExit(end({ exitCode: 1, stderr: 'x'.repeat(10_000) })).message.length).toBeLessThan(320);
  });
});
