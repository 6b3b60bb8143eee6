import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { node, platform } from '../../src/commands/doctor/machine.js';
import { projectState } from '../../src/platform/folders.js';
import { ownIdentity } from '../../src/platform/process-identity.js';
import { processesWith, running } from '../platform/processes.js';
import { createProject, EMPTY_FIXTURE, REPOSITORY, scenario, type TestProject } from './project.js';

interface Found {
  status: 'ok' | 'warning' | 'problem' | 'info';
  message: string;
  remedy: string | null;
  detail: Record<string, unknown> | null;
}

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/good.yaml': scenario('good'),
  });
  await project.write('bin/house', '#!/bin/sh\necho hello\n', 0o755);
  await project.write('bin/temporal', '#!/bin/sh\necho "temporal version 1 (Server 1.29.1)"\n', 0o755);
});
beforeEach(() => project.write('llm-tool-test-config.toml', ''));
afterAll(() => project.remove());

/** No server is given, and the Temporal CLI is one that answers at once. */
const LOCAL = { TEMPORAL_ADDRESS: '', LLM_TOOL_TEST_TEMPORAL_BIN: './bin/temporal' };

/** `doctor --json`: its exit code, and what it found by name. */
async function doctor(
  env: Record<string, string> = {},
): Promise<{ exitCode: number | undefined; status: string; found: Map<string, Found> }> {
  const { exitCode, stdout } = await project.cli(['doctor', '--json'], { ...LOCAL, ...env });
  const { status, checks } = JSON.parse(stdout) as { status: string; checks: (Found & { name: string })[] };
  return { exitCode, status, found: new Map(checks.map((check) => [check.name, check])) };
}

test('doctor says why agents cannot be sandboxed, which is no problem', async () => {
  await project.write('broken/bwrap', '#!/bin/sh\necho "bwrap: No permissions" >&2; exit 1\n', 0o755);
  const { found } = await doctor({ PATH: `${project.folder}/broken:${process.env['PATH'] ?? ''}` });
  expect(found.get('bubblewrap')).toMatchObject({
    status: 'info',
    message: expect.stringMatching(
      /^agents are not sandboxed: bwrap cannot make its namespaces here \(bwrap: No permissions\); allow/,
    ) as string,
    detail: { usable: false },
  });
});

describe('doctor where all is well', () => {
  test('finds no problem, exits with 0, and has looked at everything', async () => {
    const { exitCode, status, found } = await doctor();
    expect([...found].filter(([, { status: one }]) => one === 'problem')).toEqual([]);
    expect([exitCode, status]).toEqual([
      0,
      found.get('containment')?.status === 'warning' ? 'warning' : 'ok',
    ]);
    expect([...found.keys()]).toEqual([
      'node',
      'platform',
      'version',
      'config',
      'scenarios',
      'results',
      'state',
      'cache',
      'temporal',
      'go',
      'engine',
      'deno',
      'containment',
      'bubblewrap',
      'LLM_TOOL_TEST_ENABLED',
      'agent mock',
      'agent claude-code',
      'agent codex',
      'agent gemini',
      'agent opencode',
      'agent pi',
      'judge keys',
    ]);
    expect(found.get('scenarios')).toMatchObject({ status: 'ok', detail: { scenarios: 1 } });
    expect(found.get('temporal')).toMatchObject({
      status: 'ok',
      detail: { path: './bin/temporal', from: 'LLM_TOOL_TEST_TEMPORAL_BIN', version: '1.29.1' },
    });
    expect(found.get('deno')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^deno \d+\.\d+\.\d+ .*: \//) as string,
    });
    expect(found.get('results')?.detail).toMatchObject({ free_bytes: expect.any(Number) as number });
  });

  test('starts nothing and leaves nothing behind, also where no folder of its own is there yet', async () => {
    const home = join(project.folder, 'home');
    await mkdir(home);
    const temporary = async (): Promise<string[]> =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('llm-tool-test-doctor-'));
    const before = await temporary();
    const env = { HOME: home, LLM_TOOL_TEST_HOME: '', LLM_TOOL_TEST_CACHE: '', TEMPORAL_ADDRESS: '' };
    await project.write(
      'llm-tool-test-config.toml',
      '[agents.a]\ncommand = "./bin/house"\nversion_command = "touch $HOME/left"\n',
    );
    const { found } = await doctor({ ...env, XDG_STATE_HOME: '', XDG_CACHE_HOME: '' });
    expect(found.get('engine')).toMatchObject({ status: 'info', message: 'not running; commands start it' });
    expect(await readdir(home)).toEqual([]);
    expect(await readdir(project.folder)).not.toContain('llm-tool-test-results');
    expect((await temporary()).filter((name) => !before.includes(name))).toEqual([]);
  });
});

describe('doctor names as a problem, exit 3,', () => {
  const cases: [string, string, Record<string, string>, string, RegExp][] = [
    [
      'a config that is broken',
      'oops = 1\n',
      {},
      'config',
      /llm-tool-test-config\.toml:1:1 oops: unknown key/,
    ],
    [
      'a server that does not answer',
      '',
      { TEMPORAL_ADDRESS: '127.0.0.1:1' },
      'temporal',
      /127\.0\.0\.1:1.*does not answer/,
    ],
    [
      'a namespace that is not there',
      '',
      { TEMPORAL_ADDRESS: 'given', TEMPORAL_NAMESPACE: 'nowhere' },
      'temporal',
      /nowhere.*not found/i,
    ],
    [
      'a Temporal CLI that is none',
      '',
      { LLM_TOOL_TEST_TEMPORAL_BIN: '/no/such/temporal' },
      'temporal',
      /\/no\/such\/temporal: no executable file there/,
    ],
    [
      'a results folder that cannot be written',
      'results_path = "/proc/results"\n',
      {},
      'results',
      /\/proc\/results: /,
    ],
    [
      'a state folder that cannot be written',
      '',
      { LLM_TOOL_TEST_HOME: '/proc/state' },
      'state',
      /\/proc\/state: /,
    ],
  ];
  test.each(cases)('%s, with what to do', async (_what, toml, env, name, says) => {
    await project.write('llm-tool-test-config.toml', toml);
    const address = env['TEMPORAL_ADDRESS'] === 'given' ? inject('temporalAddress') : env['TEMPORAL_ADDRESS'];
    const { exitCode, status, found } = await doctor({ ...env, TEMPORAL_ADDRESS: address ?? '' });
    expect([exitCode, status]).toEqual([3, 'problem']);
    expect(found.get(name)).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(says) as string,
      remedy: expect.stringMatching(/./) as string,
    });
    // What is broken keeps nothing else from being looked at.
    expect(found.get('node')?.status).toBe('ok');
    expect([...found].filter(([, one]) => one.status === 'problem')).toHaveLength(1);
  });

  test('a config that is no file, and a configuration of Temporal that is broken', async () => {
    await mkdir(join(project.folder, 'odd/llm-tool-test-config.toml'), { recursive: true });
    await project.write('odd/temporal.toml', '[profile');
    const { exitCode, stdout } = await execa(join(REPOSITORY, 'dist/cli.js'), ['doctor', '--json'], {
      cwd: join(project.folder, 'odd'),
      env: { ...project.env, TEMPORAL_ADDRESS: '', TEMPORAL_CONFIG_FILE: './temporal.toml' },
      reject: false,
    });
    const { checks } = JSON.parse(stdout) as { checks: (Found & { name: string })[] };
    const problems = checks.filter(({ status }) => status === 'problem').map(({ name }) => name);
    expect([exitCode, problems]).toEqual([3, ['config', 'temporal']]);
  });

  test('scenarios that are not valid, with their count and the first place', async () => {
    await project.write('more/bad.yaml', scenario('bad', { gates: ['{type: file_exist, path: x}'] }));
    await project.write('more/empty/x', '');
    await project.write('llm-tool-test-config.toml', 'fixtures_path = "more"\n');
    const { exitCode, found } = await doctor();
    expect(exitCode).toBe(3);
    expect(found.get('scenarios')?.message).toMatch(
      /1 scenario in more; 1 problem, first more\/bad\.yaml:8:14/,
    );
  });
});

describe('doctor looks at agents:', () => {
  const CONFIG = `
[agents.house]
command = "./bin/house"
version_command = "echo house 1.2"
env = { TOKEN = "\${HOUSE_KEY}" }
[agents.gone]
command = "no-such-agent"
free = true
[agents.mute]
command = "./bin/house"
version_command = "exit 3"
`;

  test('where each is, its version, its cost, and which variables are set, never their values', async () => {
    await project.write('llm-tool-test-config.toml', CONFIG);
    const secret = 'a-secret-value';
    const { exitCode, status, found } = await doctor({ HOUSE_KEY: secret, OPENAI_API_KEY: secret });
    expect([exitCode, status]).toEqual([0, 'warning']);
    expect(found.get('agent house')).toMatchObject({
      status: 'ok',
      detail: {
        agent: 'house',
        executable: join(project.folder, 'bin/house'),
        version: 'house 1.2',
        free: false,
        variables: [{ name: 'HOUSE_KEY', set: true }],
      },
    });
    expect(found.get('agent gone')).toMatchObject({
      status: 'warning',
      detail: { free: true, executable: null },
    });
    expect(found.get('agent mute')).toMatchObject({ status: 'warning', detail: { version: null } });
    expect(found.get('judge keys')?.message).toMatch(/OPENAI_API_KEY set/);
    expect(JSON.stringify([...found])).not.toContain(secret);
  });

  test('a variable without a value, and LLM_TOOL_TEST_ENABLED that is not 1, are warnings with what to do', async () => {
    await project.write('llm-tool-test-config.toml', CONFIG);
    const { found } = await doctor({ LLM_TOOL_TEST_ENABLED: 'true' });
    expect(found.get('agent house')).toMatchObject({
      status: 'warning',
      remedy: expect.stringMatching(/^set HOUSE_KEY, or .*--env-file/) as string,
    });
    expect(found.get('LLM_TOOL_TEST_ENABLED')?.status).toBe('warning');
  });
});

test('a state folder that others can enter is a warning with the command that closes it', async () => {
  const open = join(project.folder, 'open');
  await mkdir(open);
  await chmod(open, 0o755);
  const { found } = await doctor({ LLM_TOOL_TEST_HOME: open });
  expect(found.get('state')).toMatchObject({ status: 'warning', remedy: `chmod 700 ${open}` });
});

test('without --json it prints a table with marks and remedies, and the same exit code', async () => {
  const { exitCode, stdout } = await project.cli(['doctor'], {
    ...LOCAL,
    LLM_TOOL_TEST_TEMPORAL_BIN: 'none',
  });
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/^✓ {2}node {2,}\d+\.\d+\.\d+$/m);
  expect(stdout).toMatch(/^✗ {2}temporal .*no executable file there\n {5}→ correct the variable/m);
  expect(stdout).toMatch(/^1 problem, /m);
});

test('a Temporal server that answers is well', async () => {
  const { found } = await doctor({ TEMPORAL_ADDRESS: inject('temporalAddress') });
  expect(found.get('temporal')).toMatchObject({
    status: 'ok',
    message: `${inject('temporalAddress')}, namespace default: answers`,
  });
});

test('what of an engine runs is shown with its processes, and what has died is not', async () => {
  const { folder } = projectState(project.results, project.state);
  const alive = ownIdentity();
  const state = {
    ...{
      phase: 'ready',
      message: '',
      since: 0,
      build: 'another',
      external: false,
      address: '127.0.0.1:7233',
    },
    ...{ keeper: alive, server: { ...alive, start: 'before' }, worker: null },
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'engine.json'), JSON.stringify(state));
  const { found } = await doctor();
  await rm(folder, { recursive: true });
  expect(found.get('engine')).toMatchObject({
    status: 'ok',
    message: `ready at 127.0.0.1:7233 (keeper ${alive.pid}); of another build, which the next command replaces`,
    detail: { pids: [alive.pid] },
  });
});

test.each([
  ['20.18.3', 'problem'],
  ['18.20.0', 'problem'],
  ['20.19.0', 'ok'],
  ['22.1.0', 'ok'],
])('Node %s is a matter of %s', (version, status) => {
  expect(node(version).status).toBe(status);
});

test('musl and Windows are problems, macOS is none', () => {
  expect(platform('linux', null)).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('musl') as string,
  });
  expect(platform('win32', null)).toMatchObject({
    status: 'problem',
    remedy: expect.stringContaining('WSL') as string,
  });
  expect(platform('darwin', null).status).toBe('ok');
  expect(platform('linux', '2.36').status).toBe('ok');
});

describe('doctor --try starts one agent with a trivial prompt:', () => {
  const CONFIG = `
[agents.free]
command = "./bin/house"
free = true
[agents.broken]
command = "sh"
args = ["-c", "echo no luck >&2; exit 4"]
free = true
[agents.gone]
command = "no-such-agent"
free = true
[agents.mute]
command = "sh"
args = ["-c", "touch HELD; exec tail -f HELD"]
free = true
[agents.codex]
command = "./bin/codex"
models = ["gpt-5.5"]
`;
  /** It leaves a process behind, shows the key that it was given, and looks around. */
  const CODEX = `#!/bin/sh
touch HELD
setsid tail -f HELD > /dev/null 2>&1 &
say() { printf '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"%s"}}\\n' "$1"; }
echo '{"type":"thread.started","thread_id":"01a20012-23b9-73e1-b0ac-b12cda56ecf5"}'
say "$(cat) $CODEX_PROVIDER_KEY $(ls -A | wc -l)\\\\nsecond line"
echo '{"type":"turn.completed","usage":{"input_tokens":2000,"cached_input_tokens":200,"output_tokens":100}}'
`;
  const held = (): string => join(project.folder, 'held');
  beforeEach(async () => {
    await rm(held(), { force: true });
    await project.write('llm-tool-test-config.toml', CONFIG.replaceAll('HELD', held()));
    await project.write('bin/codex', CODEX.replaceAll('HELD', held()), 0o755);
  });

  /** Exit code, and the one check that is made. */
  async function attempt(args: string[], env: Record<string, string> = {}) {
    const { exitCode, stdout } = await project.cli(['doctor', '--json', '--try', ...args], env);
    const { status, checks } = JSON.parse(stdout) as { status: string; checks: (Found & { name: string })[] };
    expect(checks).toHaveLength(1);
    return { exitCode, status, check: checks[0] };
  }

  test('one that is free needs no leave; its answer and its end are told', async () => {
    const { exitCode, status, check } = await attempt(['free']);
    expect([exitCode, status]).toEqual([0, 'ok']);
    expect(check).toMatchObject({
      name: 'try free',
      status: 'ok',
      message: expect.stringMatching(
        /^completed; answered "hello", model default, tokens unknown, \$0/,
      ) as string,
      detail: { agent: 'free', ending: 'done', answer: 'hello', cost_usd: 0 },
    });
  });

  test('one that costs money is not started without leave, exit 2', async () => {
    const { exitCode, stdout } = await project.cli(['doctor', '--json', '--try', 'codex']);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([2, { error: { code: 'not_enabled' } }]);
    expect(existsSync(held())).toBe(false);
  });

  test('a codex is started as in a run: alone in an empty folder, with its key, which is not shown', async () => {
    const key = 'a-key-that-nobody-may-see';
    const env = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: key };
    const { exitCode, check } = await attempt(['codex'], env);
    expect(exitCode).toBe(0);
    expect(check?.detail).toMatchObject({
      ...{ agent: 'codex', model: 'gpt-5.5', ending: 'done' },
      answer: expect.stringMatching(/^Reply with the word ready\. \S+ 0$/) as string,
      usage: { input: 1800, cache_read: 200, output: 100 },
      cost_usd: expect.any(Number) as number,
    });
    expect(JSON.stringify(check)).not.toContain(key);
    expect([existsSync(held()), processesWith(held())]).toEqual([true, []]);
  });

  test.each([
    ['that fails', 'broken', {}, /no luck/],
    ['that is not there', 'gone', {}, /no-such-agent was not found/],
    [
      'without its key',
      'codex',
      { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: '' },
      /not set: OPENAI_API_KEY/,
    ],
  ])('one %s is a problem, exit 3', async (_what, name, env: Record<string, string>, says) => {
    const { exitCode, check } = await attempt([name], env);
    expect(exitCode).toBe(3);
    expect(check).toMatchObject({ status: 'problem', message: expect.stringMatching(says) as string });
  });

  test('an interrupt ends the agent with the command', async () => {
    const command = project.start(['doctor', '--json', '--try', 'mute']);
    await running(`tail\0-f\0${held()}`);
    command.kill('SIGINT');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ checks: [{ detail: { ending: 'cancelled' } }] });
    expect(processesWith(held())).toEqual([]);
  });

  test.each([
    ['an agent that nobody knows', ['--try', 'codx'], 'unknown_agent'],
    [
      'a model that the agent cannot be run with',
      ['--try', 'codex', '--model', 'anthropic/x'],
      'agent_model',
    ],
    ['a model without an agent', ['--model', 'x'], 'usage'],
  ])('%s is refused, exit 2', async (_what, args, code) => {
    const { exitCode, stdout } = await project.cli(['doctor', '--json', ...args], {
      LLM_TOOL_TEST_ENABLED: '1',
    });
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([2, { error: { code } }]);
  });
});
