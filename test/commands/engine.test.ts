import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { identify, isAlive } from '../../src/platform/process-identity.js';
import { createProject, EMPTY_FIXTURE, scenario, until, type TestProject } from './project.js';

interface Part {
  pid: number | null;
  state: string;
}
interface Status {
  address: string;
  ui_url: string;
  versions: Record<string, string>;
  keeper: Part;
  server: Part;
  worker: Part;
}

const projects: TestProject[] = [];
const withEngine = async (): Promise<TestProject> => {
  const files = { ...EMPTY_FIXTURE, 'fixtures/small.yaml': scenario('small', { steps: ['say: x'] }) };
  const project = await createProject(files, { ownServer: true });
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

describe('the local engine', { timeout: 180_000 }, () => {
  test('two commands at once start one engine: one server, one worker, one keeper', async () => {
    const project = await withEngine();
    const both = await Promise.all([project.run(['small']), project.run(['small'])]);
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(commandLines(`${project.state}/`).filter((line) => line.includes('start-dev'))).toHaveLength(1);
    expect(commandLines(project.results).filter((line) => line.includes('worker.js'))).toHaveLength(1);
    expect(commandLines(project.results).filter((line) => line.includes('engine keep'))).toHaveLength(1);
  });

  test('status names address, Web UI, versions and processes; stop ends them all and keeps the database', async () => {
    const project = await withEngine();
    expect((await project.cli(['engine', 'start'])).exitCode).toBe(0);
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
    expect(await readdir(join(project.state, engine))).toContainEqual(
      expect.stringMatching(/^temporal-.*\.db$/),
    );
    expect((await project.cli(['engine', 'stop'])).stderr).toContain('not running');
  });

  test('keep, in the foreground, says why it gives up and exits with 3', async () => {
    const project = await withEngine();
    const { exitCode, stderr } = await project.cli(['engine', 'keep', '--address', '127.0.0.1:1']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('error: Temporal at 127.0.0.1:1 does not answer');
  });

  test('after a stop the next command starts it again on the same ports, with the history of before', async () => {
    const project = await withEngine();
    const first = await project.run(['small']);
    const before = await status(project);
    await project.cli(['engine', 'stop']);
    const second = await project.run(['small']);
    expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
    const after = await status(project);
    expect([after.address, after.ui_url]).toEqual([before.address, before.ui_url]);
    const page = new URL(
      `/api/v1/namespaces/default/workflows/${encodeURIComponent(first.document.workflow_id)}`,
      after.ui_url,
    );
    expect((await fetch(page)).status).toBe(200);
  });

  test('the keeper starts a killed worker and a killed server again, and a killed keeper is succeeded', async () => {
    const project = await withEngine();
    await project.cli(['engine', 'start']);
    for (const part of ['worker', 'server'] as const) {
      const { pid } = (await status(project))[part];
      process.kill(pid ?? 0, 'SIGKILL');
      await until(`another ${part}`, async () => {
        const now = (await status(project))[part];
        return now.pid !== null && now.pid !== pid ? true : null;
      });
      expect((await project.run(['small'])).exitCode).toBe(0);
    }
    const before = await status(project);
    process.kill(before.keeper.pid ?? 0, 'SIGKILL');
    expect((await project.run(['small'])).exitCode).toBe(0);
    const after = await status(project);
    expect(after.keeper.pid).not.toBe(before.keeper.pid);
    expect([after.server.pid, after.worker.pid]).toEqual([before.server.pid, before.worker.pid]);
  });

  test('it ends by itself when it has been idle, and the next command brings it back', async () => {
    const project = await withEngine();
    const env = { LLM_TOOL_TEST_IDLE_SECS: '4' };
    expect((await project.run(['small'], env)).exitCode).toBe(0);
    await until('the idle engine has ended', async () => {
      const { keeper, server, worker } = await status(project);
      return [keeper, server, worker].every(({ pid }) => pid === null) ? true : null;
    });
    expect((await project.run(['small'], env)).exitCode).toBe(0);
  });

  test('where no Temporal can be had, the error names the three ways to provide one', async () => {
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

  test('LLM_TOOL_TEST_TEMPORAL_BIN that is no executable is named', async () => {
    const project = await withEngine();
    const { exitCode, stderr } = await project.cli(['run', 'small'], {
      LLM_TOOL_TEST_TEMPORAL_BIN: '/no/such/temporal',
    });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('/no/such/temporal: no executable file there');
  });
});

test('a worker of its own serves a queue on a given server until SIGTERM', async () => {
  const project = await createProject(EMPTY_FIXTURE);
  projects.push(project);
  const worker = project.start(['worker', '--queue', 'a-queue-of-its-own']);
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

test('--address names a given server for the worker too', async () => {
  const files = { ...EMPTY_FIXTURE, 'fixtures/small.yaml': scenario('small', { steps: ['say: x'] }) };
  const project = await createProject(files);
  projects.push(project);
  const { exitCode } = await project.run(['small', '--address', inject('temporalAddress')], {
    TEMPORAL_ADDRESS: '',
  });
  expect(exitCode).toBe(0);
  expect((await status(project)).server).toEqual({ pid: null, state: 'external' });
});
