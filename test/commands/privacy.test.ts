import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { projectState } from '../../src/host/folders.js';
import { openFiles, readProc } from '../host/processes.js';
import { createProject, EMPTY_FIXTURE, openRun, REPOSITORY, scenario, type TestProject } from './project.js';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
let project: TestProject;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
});
afterAll(() => project.remove());

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

/** Runs the command line under a umask, as from a shell. */
const underUmask = (own: TestProject, umask: string, args: string[]): void => {
  execFileSync('sh', ['-c', `umask ${umask}; exec node "$@"`, 'sh', join(REPOSITORY, 'dist/cli.js'), ...args], {
    cwd: own.folder,
    env: { ...process.env, ...own.env, KEY: 'a-secret-of-this-run' },
    stdio: 'pipe',
  });
};

/** The folder and everything below it except symlinks, which have no modes. */
async function allBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return [
    folder,
    ...entries.filter((entry) => !entry.isSymbolicLink()).map((entry) => join(entry.parentPath, entry.name)),
  ];
}

const KEYED = scenario('keyed', {
  target: "{binary: cat, env: {KEY: '${KEY}'}}",
  steps: [
    'run: "echo $KEY; stat -c %a $(dirname $PWD) ../../../env ../../../env/*.json; echo x > made; chmod 777 made"',
  ],
  gates: ['{type: command_succeeds, command: "true"}'],
});

describe('file modes', () => {
  test.each([
    ['0', 0o022],
    ['077', 0o077],
  ])('under umask %s the results grant nobody more access than the umask allows', async (umask, forbidden) => {
    const own = await createProject({ ...EMPTY_FIXTURE, 'fixtures/keyed.yaml': KEYED }, { ownEngine: true });
    underUmask(own, umask, ['run', 'keyed']);
    const files = await allBelow(own.results);
    expect(files.length).toBeGreaterThan(15);
    expect(files.filter((file) => (modeOf(file) & forbidden) !== 0)).toEqual([]);
    const [line] = await own.resultLines();
    // Only the user can access the run's folder, the folder of the handed-over values and the file with them.
    const output = readFileSync(join(own.results, line?.results_dir ?? '', 'artifacts/transcript.raw.txt'), 'utf8');
    expect(output).toMatch(/700\\n700\\n600/);
    const { folder } = projectState(own.results, own.state);
    expect(modeOf(folder)).toBe(0o700);
    const logs = (await allBelow(join(folder, 'logs'))).slice(1);
    expect(logs.map(modeOf)).toEqual(logs.map(() => 0o600));
    await own.remove();
  });

  test.runIf(isRoot)(
    'another user of the machine cannot read the state, raw output or handed-over values',
    async () => {
      await project.write('fixtures/keyed.yaml', KEYED);
      await chmod(project.state, 0o755); // even if the folder that the user chose is open to others
      await project.run(['keyed'], { KEY: 'a-secret-of-this-run' });
      const { folder } = projectState(project.results, project.state);
      const found = execFileSync(
        'sh',
        [
          '-c',
          `cat "$1"/* "$1"/*/* "$1"/work/*/agent/1/out "$1"/env/* 2>&1 | grep -v 'denied\\|No such' | head -5; ls "$1" 2>/dev/null || true`,
          'sh',
          folder,
        ],
        {
          uid: NOBODY,
          gid: NOBODY,
          encoding: 'utf8',
        },
      );
      expect(found).toBe('');
      expect(readdirSync(folder).length).toBeGreaterThan(3);
    },
  );
});

test('an agent gets the variables that specs/reference/scripts.md lists, and no other variable of the user', async () => {
  await project.write(
    'fixtures/env.yaml',
    scenario('env', {
      target: '{binary: cat, env: {GIVEN: "1"}}',
      steps: [`run: "tr '\\\\0' '\\\\n' < /proc/$PPID/environ | cut -d= -f1 | sort > names"`],
    }),
  );
  const { document } = await project.run(['env'], {
    AWS_SECRET_ACCESS_KEY: 'x',
    OPENAI_API_KEY: 'y',
    SSH_AUTH_SOCK: '/x',
    NODE_OPTIONS: '',
    LANG: 'C',
    no_proxy: 'localhost',
  });
  const names = (await (await openRun(document)).text('fixture/names')).trim().split('\n');
  const BASE =
    /^(PATH|HOME|TMPDIR|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|USER|LOGNAME|SHELL|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|\w+_(PROXY|proxy)|LLM_TOOL_TEST_RUN|GIVEN|PWD|OLDPWD|SHLVL|_)$/;
  expect(names).toEqual(
    expect.arrayContaining(['GIVEN', 'HOME', 'LANG', 'LLM_TOOL_TEST_RUN', 'PATH', 'TMPDIR', 'no_proxy']),
  );
  expect(names.filter((name) => !BASE.test(name))).toEqual([]);
});

/** Local addresses on which a process listens, in hex as the kernel writes them. */
function listening(pid: number): string[] {
  const sockets = openFiles(pid).flatMap((file) => /^socket:\[(\d+)\]$/.exec(file)?.[1] ?? []);
  return ['tcp', 'tcp6'].flatMap((kind) =>
    readProc(pid, `net/${kind}`)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A' && sockets.includes(fields[9] ?? ''))
      .map((fields) => fields[1]?.split(':')[0] ?? ''),
  );
}

test.runIf(process.platform === 'linux')("the engine's server and its Web UI listen on loopback only", async () => {
  const own = await createProject(EMPTY_FIXTURE, { ownServer: true });
  await own.cli(['engine', 'start']);
  const status = JSON.parse((await own.cli(['engine', 'status', '--json'])).stdout) as {
    server: { pid: number };
  };
  const addresses = listening(status.server.pid);
  expect(addresses.length).toBeGreaterThanOrEqual(2);
  // 127.0.0.1, as the IPv4 and the IPv6 table write it.
  expect(addresses.filter((address) => !/^(0000000000000000FFFF0000)?0100007F$/.test(address))).toEqual([]);
  await own.remove();
});

test("only the user can access the database of the engine's server and SQLite's files next to it, under any umask", async ({
  onTestFinished,
}) => {
  const own = await createProject(EMPTY_FIXTURE, { ownServer: true });
  onTestFinished(() => own.remove());
  underUmask(own, '0', ['engine', 'start']);
  const { folder } = projectState(own.results, own.state);
  const database = readdirSync(folder).filter((name) => name.includes('.db'));
  expect(database.map((name) => name.replace(/^.*\.db/, '')).sort()).toEqual(['', '-shm', '-wal']);
  expect(database.map((name) => modeOf(join(folder, name)))).toEqual([0o600, 0o600, 0o600]);
});

test('a client of the server cannot make a worker read a plan, and so commands, from another folder', async () => {
  await project.cli(['engine', 'start']);
  const { id } = projectState(project.results, project.state);
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const client = new Client({ connection });
  await project.write('elsewhere/plan.json', '{}');
  const evil = `../../elsewhere`;
  const handle = await client.workflow.start('runSweep', {
    taskQueue: `llm-tool-test-${id}`,
    workflowId: `sweep/evil-${id}`,
    args: [{ sweep: evil, round: 1, concurrency: 1 }],
  });
  const failure: unknown = await handle.result().catch((error: unknown) => error);
  const causes = (error: unknown): string => (error instanceof Error ? `${error.message} ${causes(error.cause)}` : '');
  expect(causes(failure)).toContain('is not a valid sweep or run id');
  await connection.close();
});
