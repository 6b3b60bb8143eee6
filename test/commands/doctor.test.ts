import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { forgetLeftovers, noteLeftovers } from '../../src/host/leftovers.js';
import { stateOf } from './engine-parts.js';
import { createDoctorProject, doctor, LOCAL, type Found } from './doctor-project.js';
import { REPOSITORY, scenario, type TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createDoctorProject();
});
beforeEach(() => project.write('llm-tool-test-config.toml', ''));
afterAll(() => project.remove());

test('doctor lists what could not be removed of runs that have ended, and what to do', async () => {
  const left = [{ name: 'docker container c', reason: 'no daemon', remedy: 'docker rm --force c' }];
  await noteLeftovers(stateOf(project), { sweep: 's', run: 'run-1', at: '', left });
  const before = await doctor(project);
  expect(before.found.get('leftovers')).toMatchObject({
    status: 'warning',
    message: 'docker container c of run-1: no daemon',
    remedy: expect.stringMatching(/engine start` tries to remove it again; or .*docker rm --force c/) as string,
    detail: { left: [{ run: 'run-1', name: 'docker container c' }] },
  });
  forgetLeftovers(stateOf(project), 'run-1');
  expect((await doctor(project)).found.get('leftovers')?.status).toBe('ok');
});

describe('doctor without problems', () => {
  test('performs every check and exits with 0', async () => {
    const { exitCode, status, found } = await doctor(project);
    expect([...found].filter(([, { status: one }]) => one === 'problem')).toEqual([]);
    expect([exitCode, status]).toEqual([0, found.get('containment')?.status === 'warning' ? 'warning' : 'ok']);
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
      'leftovers',
      'deno',
      'containment',
      'bubblewrap',
      'pasta',
      'containers',
      'e2b',
      'kubernetes',
      'LLM_TOOL_TEST_ENABLED',
      'agent mock',
      'agent oracle',
      'agent nop',
      'agent claude-code',
      'agent codex',
      'agent eliza',
      'agent gemini',
      'agent loop',
      'agent opencode',
      'agent pi',
      ...['copilot', 'qwen', 'kimi', 'vibe', 'hermes', 'fast-agent'].map((name) => `agent ${name}`),
      'agents in containers',
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

  test('starts nothing and leaves nothing behind, even if none of its folders exists yet', async () => {
    // The folder for temporary files is one of its own, too: other commands use the usual one meanwhile.
    const [home, temporary] = [join(project.folder, 'home'), join(project.folder, 'temporary')];
    for (const folder of [home, temporary]) await mkdir(folder);
    const env = {
      HOME: home,
      TMPDIR: temporary,
      LLM_TOOL_TEST_HOME: '',
      LLM_TOOL_TEST_CACHE: '',
      TEMPORAL_ADDRESS: '',
    };
    await project.write(
      'llm-tool-test-config.toml',
      '[agents.a]\ncommand = "./bin/house"\nversion_command = "touch $HOME/left"\n',
    );
    const { found } = await doctor(project, { ...env, XDG_STATE_HOME: '', XDG_CACHE_HOME: '' });
    expect(found.get('engine')).toMatchObject({
      status: 'info',
      message: 'not running; commands start it when needed',
    });
    expect(await readdir(home)).toEqual([]);
    expect(await readdir(project.folder)).not.toContain('llm-tool-test-results');
    expect(await readdir(temporary)).toEqual([]);
  });
});

describe('doctor reports a problem and exits with 3 for', () => {
  const cases: [string, string, Record<string, string>, string, RegExp][] = [
    ['an invalid config', 'oops = 1\n', {}, 'config', /llm-tool-test-config\.toml:1:1 oops: unknown key/],
    [
      'a server that does not answer',
      '',
      { TEMPORAL_ADDRESS: '127.0.0.1:1', LLM_TOOL_TEST_LIMITS: JSON.stringify({ doctorMs: 2000 }) },
      'temporal',
      /127\.0\.0\.1:1.*does not answer/,
    ],
    [
      'a namespace that does not exist',
      '',
      { TEMPORAL_ADDRESS: 'given', TEMPORAL_NAMESPACE: 'nowhere' },
      'temporal',
      /there is no namespace nowhere/,
    ],
    [
      'a Temporal CLI that is not an executable',
      '',
      { LLM_TOOL_TEST_TEMPORAL_BIN: '/no/such/temporal' },
      'temporal',
      /\/no\/such\/temporal: not an executable file/,
    ],
    ['a results folder that cannot be written', 'results_path = "/proc/results"\n', {}, 'results', /\/proc\/results: /],
    ['a state folder that cannot be written', '', { LLM_TOOL_TEST_HOME: '/proc/state' }, 'state', /\/proc\/state: /],
  ];
  test.each(cases)('%s, with a remedy', async (_what, toml, env, name, says) => {
    await project.write('llm-tool-test-config.toml', toml);
    const address = env['TEMPORAL_ADDRESS'] === 'given' ? inject('temporalAddress') : env['TEMPORAL_ADDRESS'];
    const { exitCode, status, found } = await doctor(project, { ...env, TEMPORAL_ADDRESS: address ?? '' });
    expect([exitCode, status]).toEqual([3, 'problem']);
    expect(found.get(name)).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(says) as string,
      remedy: expect.stringMatching(/./) as string,
    });
    // A problem does not prevent the other checks.
    expect(found.get('node')?.status).toBe('ok');
    expect([...found].filter(([, one]) => one.status === 'problem').map(([at]) => at)).toEqual([name]);
  });

  test('a config that is not a file, and an invalid Temporal configuration', async () => {
    await mkdir(join(project.folder, 'odd/llm-tool-test-config.toml'), { recursive: true });
    await project.write('odd/temporal.toml', '[profile');
    const { exitCode, stdout } = await execa(join(REPOSITORY, 'dist/cli.js'), ['doctor', '--json'], {
      cwd: join(project.folder, 'odd'),
      env: { ...project.env, ...LOCAL, TEMPORAL_CONFIG_FILE: './temporal.toml' },
      reject: false,
    });
    const { checks } = JSON.parse(stdout) as { checks: (Found & { name: string })[] };
    const problems = checks.filter(({ status }) => status === 'problem').map(({ name }) => name);
    expect([exitCode, problems]).toEqual([3, ['config', 'temporal']]);
  });

  test('missing programs of targets and MCP servers, without values of variables', async () => {
    const secret = 'value-that-nobody-may-see';
    const server = '{name: files, command: no-such-server-x, args: ["${SECRET_OF_MINE}"]}';
    await project.write(
      'fixtures/served.yaml',
      scenario('served', { target: null, more: `subject: {mcp: ${server}}` }),
    );
    onTestFinished(() => rm(join(project.folder, 'fixtures/served.yaml')));
    const scenarios = async (): Promise<Found | undefined> =>
      (await doctor(project, { SECRET_OF_MINE: secret })).found.get('scenarios');
    const missing =
      "fixtures/served.yaml:7:39 subject.mcp.command: the program 'no-such-server-x' was not found on PATH";
    const one = await scenarios();
    expect(one).toMatchObject({
      status: 'warning',
      message: expect.stringContaining(`valid; 1 program or file is missing: ${missing}`) as string,
      remedy: expect.stringContaining('validate') as string,
    });
    expect(JSON.stringify(one)).not.toContain(secret);
    await project.write('fixtures/target.yaml', scenario('target', { target: '{binary: no-such-tool-x}' }));
    onTestFinished(() => rm(join(project.folder, 'fixtures/target.yaml')));
    expect((await scenarios())?.message).toMatch(/; 2 programs or files are missing, first .*no-such-tool-x/);
  });

  test('invalid scenarios, with the number of problems and the place of the first', async () => {
    await project.write('more/bad.yaml', scenario('bad', { gates: ['{type: file_exist, path: x}'] }));
    await project.write('more/empty/x', '');
    await project.write('llm-tool-test-config.toml', 'fixtures_path = "more"\n');
    const { exitCode, found } = await doctor(project);
    expect(exitCode).toBe(3);
    expect(found.get('scenarios')?.message).toMatch(/1 scenario in more; 1 problem, first more\/bad\.yaml:8:14/);
  });
});

test('without --json doctor prints a table with marks and remedies, and has the same exit code', async () => {
  const { exitCode, stdout } = await project.cli(['doctor'], {
    ...LOCAL,
    LLM_TOOL_TEST_TEMPORAL_BIN: 'none',
  });
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/^✓ {2}node {2,}\d+\.\d+\.\d+$/m);
  expect(stdout).toMatch(/^✗ {2}temporal .*not an executable file\n {5}→ correct the variable/m);
  expect(stdout).toMatch(/^1 problem, /m);
});
