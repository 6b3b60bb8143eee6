import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { identify, isAlive } from '../../src/host/process/process-identity.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { killProcess } from '../host/processes.js';
import { partOf, type Part } from './engine-parts.js';
import { letGo, untilStarted, writeGated } from './gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, until, type TestProject } from './project.js';

const PARTS = ['keeper', 'server', 'worker'] as const;

interface Status extends Record<Part, { pid: number | null; state: string }> {
  address: string;
  ui_url: string;
  versions: Record<string, string>;
}

const projects: TestProject[] = [];
const SMALL = { ...EMPTY_FIXTURE, 'fixtures/small.yaml': scenario('small', { steps: ['say: x'] }) };
const withEngine = async (): Promise<TestProject> => {
  const project = await createProject(SMALL, { ownServer: true });
  projects.push(project);
  return project;
};
afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove();
});

const status = async (project: TestProject): Promise<Status> =>
  JSON.parse((await project.cli(['engine', 'status', '--json'])).stdout) as Status;

const commandLines = (needle: string): string[] =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(needle));

/** Waits for a part to have a new process, as the engine's file says: no command is started for each check. */
const another = (project: TestProject, part: Part, than: number | null): Promise<number> =>
  until(`another ${part}`, async () => {
    const now = await partOf(project, part);
    return now !== null && now.pid !== than ? now.pid : null;
  });

// These tests share one engine, in this order.
describe('the local engine', () => {
  let project: TestProject;
  let first: SweepDocument;
  beforeAll(async () => {
    project = await createProject(SMALL, { ownServer: true });
  });
  afterAll(() => project.remove());

  test('two commands at once start one engine: one server, one worker, one keeper', async () => {
    const both = await Promise.all([project.run(['small']), project.run(['small'])]);
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    first = both[0].document;
    expect(commandLines(`${project.state}/`).filter((line) => line.includes('start-dev'))).toHaveLength(1);
    expect(commandLines(project.results).filter((line) => line.includes('worker.js'))).toHaveLength(1);
    expect(commandLines(project.results).filter((line) => line.includes('engine keep'))).toHaveLength(1);
  });

  test('status shows address, Web UI, versions and processes; stop ends all processes and keeps the database; the next start uses the same ports and has the earlier history', async () => {
    const up = await status(project);
    expect(up.keeper.state).toBe('running');
    expect(up.address).toMatch(/^127\.0\.0\.1:\d+$/);
    const page = await fetch(up.ui_url);
    expect(page.status).toBe(200);
    expect(up.versions['temporal']).toMatch(/^1\./);
    const processes = [up.keeper, up.server, up.worker].map(({ pid }) => identify(pid ?? 0));
    expect(processes).not.toContain(null);

    expect((await project.cli(['engine', 'stop'])).exitCode).toBe(0);
    expect(processes.map((process) => process !== null && isAlive(process))).toEqual([false, false, false]);
    expect((await status(project)).server).toEqual({ pid: null, state: 'stopped' });
    const [engine = ''] = await readdir(project.state);
    expect(await readdir(join(project.state, engine))).toContainEqual(expect.stringMatching(/^temporal-.*\.db$/));
    expect((await project.cli(['engine', 'stop'])).stderr).toContain('not running');

    expect((await project.cli(['engine', 'start'])).exitCode).toBe(0);
    const after = await status(project);
    expect([after.address, after.ui_url]).toEqual([up.address, up.ui_url]);
    const history = new URL(
      `/api/v1/namespaces/default/workflows/${encodeURIComponent(first.workflow_id)}`,
      after.ui_url,
    );
    expect((await fetch(history)).status).toBe(200);
  });

  test('the keeper restarts a killed worker and a killed server, and the next command replaces a killed keeper', async () => {
    for (const part of ['worker', 'server'] as const) {
      const { pid } = (await status(project))[part];
      killProcess(pid ?? 0);
      await another(project, part, pid);
      expect((await project.run(['small', '--no-cache'])).exitCode).toBe(0);
    }
    const before = await status(project);
    killProcess(before.keeper.pid ?? 0);
    expect((await project.run(['small', '--no-cache'])).exitCode).toBe(0);
    const after = await status(project);
    expect(after.keeper.pid).not.toBe(before.keeper.pid);
    expect([after.server.pid, after.worker.pid]).toEqual([before.server.pid, before.worker.pid]);
  });

  test('a server whose port was taken while it was down restarts on another one, where a command that follows a sweep finds it', async () => {
    await writeGated(project, 'moved');
    const following = project.start(['run', 'moved', '--name', 'moved', '--json']);
    await untilStarted(project, 'moved');
    const before = await status(project);
    const [keeper, server] = [before.keeper, before.server].map(({ pid }) => pid ?? 0) as [number, number];
    killProcess(keeper, 'SIGSTOP');
    killProcess(server);
    const taken = createServer();
    await until('its port is free, and taken', () => listens(taken, Number(before.address.split(':').at(-1))));
    killProcess(keeper, 'SIGCONT');
    await another(project, 'server', server);
    await letGo(project, 'moved');
    const { exitCode, stdout, stderr } = await following;
    expect(exitCode, stderr).toBe(0);
    expect(documentOf(stdout)).toMatchObject({ status: 'completed', totals: { passed: 1 } });
    expect((await project.run(['small', '--no-cache'])).exitCode).toBe(0);
    taken.close();
    expect((await status(project)).address).not.toBe(before.address);
  });
});

/** Lets a server listen on a port; null if the port is taken. */
const listens = (server: Server, port: number): Promise<true | null> =>
  new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });

describe('an engine', () => {
  test('starts with a state path that contains characters with a special meaning in URLs', async () => {
    const project = await createProject(SMALL, { ownEngine: true });
    projects.push(project);
    const env = { LLM_TOOL_TEST_HOME: join(project.state, 'a#b?c%20d') };
    try {
      const { exitCode, stderr } = await project.cli(['engine', 'start'], env);
      expect(exitCode, stderr).toBe(0);
      const { stdout } = await project.cli(['engine', 'status', '--json'], env);
      expect(JSON.parse(stdout)).toMatchObject({
        keeper: { state: 'running' },
        worker: { state: 'running' },
      });
    } finally {
      await project.cli(['engine', 'stop'], env);
    }
  });

  test('that is kept in the foreground says why it gives up and exits with 3', async () => {
    const project = await withEngine();
    const { exitCode, stderr } = await project.cli(['engine', 'keep', '--address', '127.0.0.1:1']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('error: the Temporal server 127.0.0.1:1 does not answer');
  });

  test('ends by itself after the idle time, and the next command starts it again', async () => {
    const project = await withEngine();
    const env = { LLM_TOOL_TEST_IDLE_SECS: '4' };
    expect((await project.run(['small'], env)).exitCode).toBe(0);
    await until('the idle engine has ended', async () => {
      const parts = await Promise.all(PARTS.map((part) => partOf(project, part)));
      return parts.every((part) => part === null) ? true : null;
    });
    expect((await project.run(['small'], env)).exitCode).toBe(0);
  });

  test('that cannot get Temporal fails with an error that names the three ways to provide it', async () => {
    const project = await withEngine();
    const cache = await mkdtemp(join(tmpdir(), 'llm-tool-test-cache-'));
    const env = {
      LLM_TOOL_TEST_CACHE: cache,
      PATH: '/usr/bin:/bin',
      HTTPS_PROXY: 'http://127.0.0.1:1',
      LLM_TOOL_TEST_TEMPORAL_BIN: '',
    };
    const { exitCode, stderr } = await project.cli(['run', 'small'], env);
    await rm(cache, { recursive: true });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/TEMPORAL_ADDRESS[^]*LLM_TOOL_TEST_TEMPORAL_BIN[^]*Go/);
  });

  test('names a LLM_TOOL_TEST_TEMPORAL_BIN that is not an executable', async () => {
    const project = await withEngine();
    const { exitCode, stderr } = await project.cli(['run', 'small'], {
      LLM_TOOL_TEST_TEMPORAL_BIN: '/no/such/temporal',
    });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('/no/such/temporal: not an executable file');
  });
});

test('a standalone worker serves a queue of a given server until SIGTERM', async () => {
  const project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
  projects.push(project);
  const worker = project.startWorker(inject('temporalAddress'), ['--queue', 'a-queue-of-its-own']);
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  await until('the worker polls', async () => {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace: 'default',
      taskQueue: { name: 'a-queue-of-its-own' },
      taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    });
    return pollers.length > 0 ? true : null;
  });
  await connection.close();
  worker.kill('SIGTERM');
  expect((await worker).exitCode).toBe(0);
});

test('the worker too uses the server given by --address', async () => {
  const project = await createProject(SMALL, { ownEngine: true });
  projects.push(project);
  const { exitCode } = await project.run(['small', '--address', inject('temporalAddress')], {
    TEMPORAL_ADDRESS: '',
  });
  expect(exitCode).toBe(0);
  expect((await status(project)).server).toEqual({ pid: null, state: 'external' });
});
