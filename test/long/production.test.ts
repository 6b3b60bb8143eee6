import { appendFile, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HostRecord } from '../../src/model/records/host-record.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { documentOf, EMPTY_FIXTURE, REPOSITORY, scenario, until } from '../commands/project.js';
import { createComposeProject, whyNoCompose, type ComposeProject } from './production/compose.js';
import { commandsOf } from './production/guide.js';
import { provideImages } from './production/images.js';

const report = (text: string): void => console.log(`production: ${text}`);
const lacking = await whyNoCompose();
if (lacking !== null) console.warn(`docker-compose.yml is not tested here: ${lacking}`);

/**
 * For a daemon whose containers have no way out: the image is built by the host's network, and Go's gRPC does not ask a
 * DNS server that never answers.
 */
const OVERRIDE = `
services:
  worker: { build: { network: host } }
  namespace: { environment: { TEMPORAL_ADDRESS: 'passthrough:///temporal:7233' } }
  ui: { environment: { TEMPORAL_ADDRESS: 'passthrough:///temporal:7233' } }
`;

/** Makes a Git repository of the files of this one. */
const ORIGIN = `
mkdir "$1"
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- -cf - | tar -xf - -C "$1"
cd "$1" && git init --quiet && git add --all
git -c user.name=test -c user.email=test@example.com commit --quiet --message 'as it is now'
`;

/** Whom the guide speaks to. */
const USER = 1000;

/** The words that start a command as a user who may use Docker, if these tests are run by root. */
async function asUser(): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const socket = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace('unix://', '');
  return ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, `--groups=${(await stat(socket)).gid}`, '--'];
}
const MINUTES = 60_000;

describe.skipIf(lacking !== null)('docker-compose.yml by the guide specs/how-to/production.md', () => {
  let compose: ComposeProject;
  let folder = '';
  let clone: string;
  const origin = (): string => join(folder, 'origin');

  /** Runs shell commands in the clone. */
  async function sh(commands: string, timeout = 5 * MINUTES): Promise<string> {
    const [program = 'sh', ...args]: string[] = [...(await asUser()), 'sh', '-ec', commands];
    const { failed, stdout, all } = await execa(program, args, {
      cwd: clone,
      env: { ...compose.env, HOME: folder },
      stdin: 'ignore',
      all: true,
      timeout,
      reject: false,
    });
    if (!failed) return stdout;
    const { all: logs } = await execa('docker', ['compose', 'logs', '--tail', '10'], {
      cwd: clone,
      env: compose.env,
      all: true,
      reject: false,
    });
    throw new Error(`failed: ${commands}\n${all.slice(-3000)}\n${logs.slice(-5000)}`);
  }
  const follow = (section: string): Promise<string> => sh(commandsOf(section), 20 * MINUTES);
  const cli = (command: string): Promise<string> => sh(`docker compose exec cli llm-tool-test ${command}`);
  const sweepOf = async (command: string): Promise<SweepDocument> => documentOf(await cli(`${command} --json`));
  const hosts = async (): Promise<HostRecord[]> =>
    (JSON.parse(await cli('workers --json')) as { hosts: HostRecord[] }).hosts;
  const containers = async (service: string): Promise<string[]> =>
    (await sh(`docker compose ps --quiet ${service}`)).split('\n').filter((line) => line !== '');
  const inCli = (command: string): Promise<string> => sh(`docker compose exec cli ${command}`);
  /** Agents are in sandboxes, which show them the containers of workers without the results. */
  const inWorkers = async (command: string): Promise<void> => {
    for (const worker of await containers('worker')) await sh(`docker exec --user root ${worker} ${command}`);
  };

  /** Writes a scenario into the project folder. */
  const write = async (name: string, text: string): Promise<void> => writeFile(join(clone, 'fixtures', name), text);

  const untilCompleted = (sweep: string): Promise<SweepDocument> =>
    until(
      'the sweep has ended',
      async () => {
        const shown = await sweepOf(`show ${sweep}`);
        return shown.status === 'completed' ? shown : null;
      },
      5 * MINUTES,
    );

  /** All results of a sweep: one for each cell, as the shared results store them. */
  async function storedResults(sweep: string): Promise<string[]> {
    const lines = await inCli(`cat /results/sweeps/${sweep}/results.r1.jsonl`);
    return lines.split('\n').map((line) => (JSON.parse(line) as { cell: string }).cell);
  }

  beforeAll(async () => {
    compose = await createComposeProject(OVERRIDE, report);
    await provideImages(report);
    folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-production-'));
    clone = join(folder, 'clone');
    // A repository with the files as they are now.
    await execa('sh', ['-ec', ORIGIN, 'sh', origin()], { cwd: REPOSITORY });
    await execa('git', ['clone', '--quiet', origin(), clone]);
    for (const [name, text] of Object.entries(EMPTY_FIXTURE)) {
      await mkdir(dirname(join(clone, name)), { recursive: true });
      await writeFile(join(clone, name), text);
    }
    // Its agents wait until a file is there.
    await write(
      'held.yaml',
      scenario('held', {
        gates: ['{type: file_contains, path: out.txt, substring: done}'],
        steps: [`run: 'until [ -e /srv/go ]; do sleep 0.2; done; echo done >out.txt'`],
      }),
    );
    await execa('chown', ['-R', `${USER}:${USER}`, folder]);
  }, 60 * MINUTES);

  afterAll(async () => {
    await (compose as ComposeProject | undefined)?.remove();
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  }, 5 * MINUTES);

  test('a sweep passes on an empty machine, and the Web UI shows it', async () => {
    expect(await follow('Start')).toContain('1 cell: 1 passed');
    const page = await fetch(`http://127.0.0.1:${compose.ports.ui}/`);
    expect(await page.text()).toContain('<html');
    const sweep = await sweepOf('show latest');
    const address = `http://127.0.0.1:${compose.ports.ui}/api/v1/namespaces/default/workflows/${encodeURIComponent(sweep.workflow_id)}`;
    expect(await (await fetch(address)).json()).toMatchObject({
      workflowExecutionInfo: { status: 'WORKFLOW_EXECUTION_STATUS_COMPLETED' },
    });
  });

  test('workers find the server, but not the database', async () => {
    const found = (name: string): Promise<string> =>
      sh(`docker compose exec worker sh -c 'getent hosts ${name} || echo none'`);
    expect(await found('temporal')).toContain('temporal');
    expect(await found('postgresql')).toBe('none');
  });

  test('workers serve metrics to the other containers', async () => {
    const read = 'fetch("http://worker:9464/metrics").then((answer) => answer.text()).then(console.log)';
    expect(await inCli(`node -e '${read}'`)).toMatch(/^llm_tool_test_cells_total\{.*outcome="pass".*\} 1$/m);
  });

  test('an agent sees only its own processes, has no rights, and finds no keys, results and state', async () => {
    const look =
      'ls /proc | grep -c "^[0-9]" >count; grep -h "^CapEff" /proc/self/status >rights; cat /proc/[0-9]*/cmdline >processes';
    const gates = [
      '{type: file_contains, path: rights, substring: "0000000000000000"}',
      `{type: command_succeeds, command: '[ "$(cat count)" -lt 20 ] && ! grep -qa worker.js processes'}`,
      `{type: command_succeeds, command: '[ ! -s found ]'}`,
    ];
    const search = 'ls -d /results/sweeps /home/keys /home/hosts/*.lock >found 2>errors || true';
    await write('alone.yaml', scenario('alone', { gates, steps: [`run: '${look}; ${search}'`] }));
    const { totals, cells } = await sweepOf('run alone');
    expect(totals, JSON.stringify(cells)).toMatchObject({ cells: 1, passed: 1 });
    const record = await inCli(`cat ${cells[0]?.results_dir?.replace(/^.*\//, '/results/')}/artifacts/run.json`);
    expect(JSON.parse(record)).toMatchObject({ environment: 'bubblewrap', sandboxed: true });
  });

  test('a key that is replaced in the file counts for the next step', async () => {
    await follow('Agents and keys');
    const keyed = (name: string, value: string): string =>
      scenario(name, {
        target: '{binary: cat, env: {TEAM_KEY: "${TEAM_KEY}"}}',
        gates: [`{type: file_contains, path: out.txt, substring: "${value}"}`],
        steps: [`run: 'echo "is $TEAM_KEY" | rev >out.txt'`],
      });
    for (const [name, value, reversed] of [
      ['first', 'value-of-monday', 'yadnom-fo-eulav'],
      ['second', 'value-of-tuesday', 'yadseut-fo-eulav'],
    ] as const) {
      await writeFile(join(clone, 'keys/new.env'), `TEAM_KEY=${value}\n`);
      await rename(join(clone, 'keys/new.env'), join(clone, 'keys/keys.env'));
      await write(`${name}.yaml`, keyed(name, reversed));
      const { totals, cells } = await sweepOf(`run ${name}`);
      expect(totals, JSON.stringify(cells)).toMatchObject({ cells: 1, passed: 1 });
    }
  });

  test(
    'a sweep survives workers that are killed and removed, and restarts of server and database',
    async () => {
      const { sweep } = await sweepOf('run held --repeat 8 --concurrency 8 --detach');
      const runs = (...counts: number[]): Promise<true> =>
        until(`hosts with ${counts.join(' and ')} runs`, async () => {
          const found = (await hosts()).map((host) => host.runs.length).sort();
          return JSON.stringify(found) === JSON.stringify(counts) ? true : null;
        });
      await runs(4);
      await follow('More workers');
      await runs(4, 4);

      const [killed = ''] = await containers('worker');
      await sh(`docker kill ${killed} && docker start ${killed}`);
      await sh('docker compose restart temporal');
      await sh('docker compose kill postgresql && docker compose up --detach --wait');
      // The other host is gone for good: its runs are done again here.
      await sh('docker compose up --detach --wait --scale worker=1');
      expect(await containers('worker')).toHaveLength(1);
      await inWorkers('touch /srv/go');

      const done = await untilCompleted(sweep);
      expect(done.totals, JSON.stringify(done.cells)).toMatchObject({ cells: 8, passed: 8 });
      const stored = await storedResults(sweep);
      expect(stored).toHaveLength(8);
      expect(new Set(stored).size).toBe(8);
    },
    15 * MINUTES,
  );

  test(
    'hosts keep their ids and their runs when all containers are removed and created again',
    async () => {
      await inWorkers('rm -f /srv/go');
      const { sweep } = await sweepOf('run held --repeat 2 --no-cache --detach');
      const before = await until(
        'a host at work',
        async () => (await hosts()).find(({ runs }) => runs.length === 2) ?? null,
      );
      await sh('docker compose down && docker compose up --detach --wait');
      await inWorkers('touch /srv/go');
      const done = await untilCompleted(sweep);
      expect(done.totals, JSON.stringify(done.cells)).toMatchObject({ cells: 2, passed: 2 });
      const lines = (await inCli(`cat /results/sweeps/${sweep}/results.r1.jsonl`)).split('\n');
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ host: { id: before.id, name: 'worker-1' } });
      expect(lines.join('')).not.toContain('lost_runs');
      expect((await hosts()).map(({ id }) => id)).toContain(before.id);
    },
    15 * MINUTES,
  );

  test(
    'what was backed up is restored on a machine without volumes',
    async () => {
      const before = await cli('sweeps --json');
      await follow('Back up');
      await sh('docker compose down --volumes');
      await follow('Restore');
      expect(JSON.parse(await cli('sweeps --json'))).toEqual(JSON.parse(before));
      const { workflow_id } = await sweepOf('show latest');
      const api = `http://127.0.0.1:${compose.ports.ui}/api/v1/namespaces/default/workflows/`;
      expect((await fetch(`${api}${encodeURIComponent(workflow_id)}`)).status).toBe(200);
      expect(await sweepOf('run fixtures/example_basic.yaml --no-cache')).toMatchObject({
        totals: { passed: 1 },
      });
    },
    15 * MINUTES,
  );

  test(
    'an upgrade replaces the containers, and an open sweep goes on',
    async () => {
      await inWorkers('rm -f /srv/go');
      const { sweep } = await sweepOf('run held --repeat 2 --no-cache --detach');
      const host = await until(
        'a host at work',
        async () => (await hosts()).find(({ runs }) => runs.length === 2) ?? null,
      );
      await appendFile(join(origin(), 'CHANGELOG.md'), '\nA new version.\n');
      const author = '-c user.name=test -c user.email=test@example.com';
      await sh(`git -C ${origin()} ${author} commit --quiet --all --message new`);
      const before = await containers('worker');
      await follow('Upgrade');
      expect(await containers('worker')).not.toEqual(before);
      await inWorkers('touch /srv/go');
      const done = await untilCompleted(sweep);
      expect(done.totals, JSON.stringify(done.cells)).toMatchObject({ cells: 2, passed: 2 });
      // The new container is the same host.
      expect((await hosts()).map(({ id }) => id)).toContain(host.id);
    },
    15 * MINUTES,
  );
});
