import { describe, expect, it } from 'vitest';
import type { AgentRequest } from '../../src/agents/agent.js';
import { claudeCode } from '../../src/agents/claude-code.js';

const agent = claudeCode({ args: [], models: [], env: {} });
const request: AgentRequest = {
  prompt: '-do it',
  model: 'anthropic/claude-sonnet-4-5',
  workspace: '/run/fixture',
  home: '/run/home',
  config: '/run/config',
  sessionId: '8b3ce0bf-7d09-4095-aa4f-3e72ea044e33',
  maxTurns: null,
  system: null,
  access: { key: 'the-key', baseUrl: 'https://gateway.test/v1/' },
  mock: null,
  hasNode: true,
};

describe('the launch of Claude Code', () => {
  it('is headless, with a private config folder, the prompt on stdin and the key only in the environment', () => {
    const launch = agent.launch(request);
    expect(launch.argv.slice(0, 5)).toEqual(['claude', '-p', '--output-format', 'stream-json', '--verbose']);
    expect(launch.argv).toContain('bypassPermissions');
    expect(launch.argv.join(' ')).toContain('--model claude-sonnet-4-5');
    expect(launch.argv.join(' ')).toContain(`--session-id ${request.sessionId}`);
    expect(launch.stdin).toBe('-do it');
    expect(launch.env).toMatchObject({
      CLAUDE_CONFIG_DIR: '/run/config/claude',
      ANTHROPIC_API_KEY: 'the-key',
      ANTHROPIC_BASE_URL: 'https://gateway.test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
    expect(JSON.stringify([launch.argv, launch.files, launch.stdin])).not.toContain('the-key');
  });

  it('passes the limit of turns and the system prompt of the run', () => {
    const launch = agent.launch({ ...request, model: 'default', maxTurns: 7, system: '-be brief' });
    expect(launch.argv).not.toContain('--model');
    expect(launch.argv.join(' ')).toContain('--max-turns 7 --append-system-prompt-file /run/config/claude/system.md');
    expect(launch.files).toContainEqual({ path: '/run/config/claude/system.md', content: '-be brief' });
  });

  it('reads no instructions and skills above the workspace, and needs no file for that in a container', () => {
    const { argv, files } = agent.launch(request);
    const settings = JSON.parse(argv[argv.indexOf('--settings') + 1] ?? '') as { claudeMdExcludes: string[] };
    expect(settings.claudeMdExcludes).toEqual(expect.arrayContaining(['/run/CLAUDE.md', '/CLAUDE.md']));
    expect(settings.claudeMdExcludes.filter((path) => path.startsWith('/run/fixture'))).toEqual([]);
    expect(files.map(({ path }) => path)).toEqual(['/run/.git/README']);
    expect(agent.launch({ ...request, hasNode: false }).files).toEqual([]);
  });

  it('sets no key and no address if there are none', () => {
    const { env } = agent.launch({ ...request, access: null });
    expect(Object.keys(env).filter((variable) => variable.startsWith('ANTHROPIC_'))).toEqual([]);
  });

  it('follows the config', () => {
    const configured = claudeCode({
      command: '/opt/claude',
      args: ['--effort', 'low'],
      models: ['opus'],
      env: { CLAUDE_CODE_MAX_RETRIES: '9' },
      auth: 'login',
    });
    const launch = configured.launch(request);
    expect([configured.program, launch.argv[0]]).toEqual(['/opt/claude', '/opt/claude']);
    expect(launch.argv.slice(-2)).toEqual(['--effort', 'low']);
    expect(launch.env['CLAUDE_CODE_MAX_RETRIES']).toBe('9');
    expect(configured.models).toEqual(['opus']);
    expect(configured.login?.map((file) => [file.home, file.at(request)])).toEqual([
      ['.claude/.credentials.json', '/run/config/claude/.credentials.json'],
    ]);
    expect(agent.login).toBeNull();
  });

  it('resumes its session with the next prompt', () => {
    const launch = agent.resume?.({ ...request, maxTurns: 7 }, 'abc');
    expect(launch?.argv.join(' ')).toContain('--max-turns 7 --resume abc');
    expect(launch?.argv).not.toContain('--session-id');
    expect(launch?.stdin).toBe(request.prompt);
  });

  it('accepts only models of its own provider', () => {
    expect(agent.provider('default')).toBe('anthropic');
    expect(['default', 'opus', 'anthropic/claude-opus-4-5'].map((model) => agent.modelProblem(model))).toEqual([
      null,
      null,
      null,
    ]);
    expect(agent.modelProblem('openai/gpt-5.1')).toContain('anthropic');
  });
});
