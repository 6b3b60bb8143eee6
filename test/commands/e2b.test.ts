import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, startE2bServer, type E2bServer } from '../environments/e2b-server.js';
import { createProject, EMPTY_FIXTURE, REPOSITORY, scenario, type TestProject } from './project.js';

const CODE = `name: code
environment: {type: e2b}
run: [{lang: bash, code: 'true', evaluations: [{type: string_contains, value: x}]}]
`;
/** The service must not be asked before these problems are found. */
const NOWHERE = { E2B_API_KEY: '', E2B_API_URL: 'http://127.0.0.1:1' };

let project: TestProject;
let server: E2bServer;
beforeAll(async () => {
  server = await startE2bServer();
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/ours.yaml': scenario('ours', { more: 'environment: {type: e2b}' }),
    'code.scenario.yaml': CODE,
  });
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

const nothingStarted = async (): Promise<void> => {
  expect(await readdir(project.results).catch(() => [])).toEqual([]);
  expect(server.counts.created).toBe(0);
};

describe('a scenario in a sandbox of E2B', () => {
  test('is not started without a key, which is named at its place in both forms of file', async () => {
    const { exitCode, stderr } = await project.cli(['run', 'ours', 'code.scenario.yaml', '--agents', 'mock'], NOWHERE);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/ours\.yaml:\d+:21 .*environment\.type e2b: E2B_API_KEY is not set; export it/);
    expect(stderr).toMatch(/code\.scenario\.yaml:2:21 .*E2B_API_KEY is not set/);
    await nothingStarted();
  });

  test('takes the key from --env-file', async () => {
    await project.write('keys.env', 'E2B_API_KEY=wrong\n');
    const { stderr } = await project.cli(['run', 'ours', '--agents', 'mock', '--env-file', 'keys.env'], {
      ...server.env,
      E2B_API_KEY: '',
    });
    expect(stderr).toContain('E2B refuses the key in E2B_API_KEY');
  });

  test('is not started if E2B refuses the key, and the key is not printed', async () => {
    const { exitCode, stdout, stderr } = await project.cli(['run', 'ours', '--agents', 'mock', '--json'], {
      ...server.env,
      E2B_API_KEY: 'e2b_wrong_key_1234',
    });
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'sandbox_unusable',
        message: expect.stringContaining('E2B refuses the key in E2B_API_KEY: Unauthorized') as string,
      },
    });
    expect(stdout + stderr).not.toContain('e2b_wrong_key_1234');
    await nothingStarted();
  });

  test('is not started if E2B does not answer, which is not a mistake of the user', async () => {
    const { exitCode, stderr } = await project.cli(['run', 'ours', '--agents', 'mock'], {
      ...NOWHERE,
      E2B_API_KEY: KEY,
    });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('environment.type e2b: cannot reach E2B at http://127.0.0.1:1');
    await nothingStarted();
  });

  test('cannot have a target on this machine, or mocked commands', async () => {
    await project.write('bin/outside', '#!/bin/sh\n', 0o755);
    const outside = await project.cli(
      ['run', 'ours', '--agents', 'mock', '--target-binary', 'bin/outside'],
      server.env,
    );
    expect(outside).toMatchObject({ exitCode: 2 });
    expect(outside.stderr).toContain('is not in the sandbox of environment.type e2b');
    await project.write(
      'mocked.scenario.yaml',
      CODE.replace('run:', 'setup: {mocks: [{command: gh, response: {stdout: x}}]}\nrun:'),
    );
    const mocked = await project.cli(['run', 'mocked.scenario.yaml'], server.env);
    expect(mocked).toMatchObject({ exitCode: 2 });
    expect(mocked.stderr).toContain('commands cannot be mocked in environment.type e2b');
  });

  test('is a sandbox for require_sandbox', async () => {
    await project.write('llm-tool-test-config.toml', 'require_sandbox = true\n');
    const { stderr } = await project.cli(['run', 'ours', '--agents', 'mock'], NOWHERE);
    await project.write('llm-tool-test-config.toml', '');
    expect(stderr).toContain('E2B_API_KEY is not set');
  });
});

describe('the package e2b', () => {
  let folder: string;
  let cli: string;

  beforeAll(async () => {
    // This program as it is installed without its optional peer.
    folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-installed-'));
    await cp(join(REPOSITORY, 'dist'), join(folder, 'dist'), { recursive: true });
    await cp(join(REPOSITORY, 'package.json'), join(folder, 'package.json'));
    await mkdir(join(folder, 'node_modules'));
    for (const name of await readdir(join(REPOSITORY, 'node_modules')))
      if (name !== 'e2b' && !name.startsWith('.'))
        await symlink(join(REPOSITORY, 'node_modules', name), join(folder, 'node_modules', name));
    cli = join(folder, 'dist', 'cli.js');
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const runWithout = (more: Record<string, string> = {}) =>
    execa(process.execPath, [cli, 'run', 'code.scenario.yaml'], {
      cwd: project.folder,
      reject: false,
      env: { ...project.env, ...NOWHERE, ...more },
    });

  test('is asked for at its place in the file if it is not installed, before the key', async () => {
    const { exitCode, stderr } = await runWithout();
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /code\.scenario\.yaml:2:21 .*environment\.type e2b: the package e2b is not installed; install it with npm install e2b@2/,
    );
    await nothingStarted();
  });

  test('is found where the project has it', async () => {
    await mkdir(join(project.folder, 'node_modules'));
    await symlink(join(REPOSITORY, 'node_modules', 'e2b'), join(project.folder, 'node_modules', 'e2b'));
    expect((await runWithout()).stderr).toContain('E2B_API_KEY is not set');
    expect((await runWithout({ E2B_API_KEY: 'k' })).stderr).toContain('cannot reach E2B');
  });

  test('is refused in a version that is not known', async () => {
    const other = await createProject({
      'code.scenario.yaml': CODE,
      'node_modules/e2b/package.json': '{"name": "e2b", "version": "1.9.0"}',
    });
    const { exitCode, stderr } = await other.cli(['run', 'code.scenario.yaml'], NOWHERE);
    await other.remove();
    expect(exitCode).toBe(2);
    expect(stderr).toContain('version 1.9.0 of the package e2b is not supported');
  });
});

describe('doctor', () => {
  const found = async (env: Record<string, string>) => {
    const { stdout } = await project.cli(['doctor', '--json'], env);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; message: string }[] };
    return checks.find(({ name }) => name === 'e2b');
  };

  test('says whether sandboxes of E2B can be used, and why not', async () => {
    expect(await found(server.env)).toMatchObject({
      status: 'ok',
      message: 'sandboxes of E2B are available (environment.type: e2b)',
    });
    expect(await found(NOWHERE)).toMatchObject({
      status: 'info',
      message: 'no sandboxes of E2B: E2B_API_KEY is not set',
    });
    expect((await found({ ...server.env, E2B_API_KEY: 'wrong' }))?.message).toContain('E2B refuses the key');
  });
});
