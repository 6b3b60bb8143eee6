import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { workerReadyFile } from '../../src/platform/engine/engine-state.js';
import { projectState } from '../../src/platform/folders.js';
import type { ProcessIdentity } from '../../src/platform/process/process-identity.js';
import { connect } from '../../src/platform/temporal/temporal-client.js';
import type { SweepDocument } from '../../src/results/records/sweep-document.js';
import { kill, linesIn, partOf, untilLines } from '../commands/engine-parts.js';
import {
  copyExamples,
  createProject,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  until,
  type TestProject,
} from '../commands/project.js';
import { commandOf, loadCompose, type ComposeModel } from './compose-file.js';
import { startProcess, type Started } from './started.js';
import { startStack, type Stack } from './stack.js';

const loader = inject('composeLoader');
const programs = inject('serverPrograms');
const missing = loader.missing ?? programs.missing;
const why = missing === null ? '' : ` (skipped: ${missing})`;

let model: ComposeModel;
let stack: Stack;
let project: TestProject;
let client: Client;

/** A scenario whose agent records its start and then waits for the test. */
const waitingAgent = (name: string): string =>
  scenario(name, {
    gates: ['{type: file_contains, path: out.txt, substring: after}'],
    steps: [
      `run: 'echo start >> ${project.folder}/${name}.starts; until [ -e ${project.folder}/${name}.go ]; do sleep 0.05; done; echo after > out.txt'`,
    ],
  });

async function expectAdopted(document: SweepDocument, name: string): Promise<void> {
  const { run } = await openRun(document);
  expect(run.outcome).toBe('pass');
  expect(linesIn(project, `${name}.starts`)).toHaveLength(1);
  expect(run.agent?.history.join('\n')).toMatch(/worker lost after .*\n.*start 1 of the agent/s);
}

describe.skipIf(missing !== null)(`on the server of docker-compose.yml${why}`, () => {
  beforeAll(async () => {
    if (loader.missing !== null || programs.missing !== null) return;
    model = await loadCompose(loader.found);
    stack = await startStack(model, programs.found);
    await stack.job('schema');
    await stack.startServer();
    await stack.job('namespace');
    client = await connect({ address: stack.address, namespace: 'default', external: true });
    project = await createProject(EMPTY_FIXTURE, { ownServer: true });
    await copyExamples(project);
  });
  afterAll(async () => {
    await (project as TestProject | undefined)?.remove();
    await (client as Client | undefined)?.connection.close();
    await (stack as Stack | undefined)?.stop();
  });

  test('the example passes with --address right after the start, and is found by its search attributes', async () => {
    const args = ['run', 'fixtures/example_basic.yaml', '--address', stack.address, '--json'];
    const { exitCode, stdout, stderr } = await project.cli(args);
    expect(exitCode, stderr).toBe(0);
    const document = JSON.parse(stdout) as SweepDocument;
    expect(document.totals).toMatchObject({ cells: 1, passed: 1 });
    const query = `SweepId = "${document.sweep}" AND Scenario = "example_basic" AND Agent = "mock" AND Outcome = "pass" AND Rep = 1`;
    await until('the run is found', async () =>
      (await client.workflow.count(query)).count === 1 ? true : null,
    );
    await project.cli(['engine', 'stop']);
  });

  test('the jobs for namespace and schema change nothing when they run again', async () => {
    const retention = async (): Promise<number | undefined> => {
      const { config } = await client.workflowService.describeNamespace({ namespace: 'default' });
      return config?.workflowExecutionRetentionTtl?.seconds?.toNumber();
    };
    expect(await retention()).toBe(30 * 24 * 60 * 60);
    const before = await client.workflow.count();
    await stack.job('schema');
    await stack.job('namespace');
    expect(await retention()).toBe(30 * 24 * 60 * 60);
    expect(await client.workflow.count()).toEqual(before);
  });

  test('the server has the version and the number of history shards that the file names', async () => {
    const { serverVersion, historyShardCount } = await client.workflowService.getClusterInfo({});
    expect(`temporalio/server:${serverVersion}`).toBe(model.services.temporal.image);
    expect(String(historyShardCount)).toBe(model.services.temporal.environment['NUM_HISTORY_SHARDS']);
  });

  describe("with the keeper of the worker's service", () => {
    let keeper: Started;
    const environment = (): Record<string, string> =>
      stack.environmentOf('worker', { LLM_TOOL_TEST_HOME: project.state, CI: '', NO_COLOR: '1' });
    const isHealthy = async (): Promise<boolean> => {
      const [, check = ''] = model.services.worker.healthcheck?.test ?? [];
      return (
        (await execa('sh', ['-c', check], { env: environment(), extendEnv: false, reject: false }))
          .exitCode === 0
      );
    };
    beforeAll(async () => {
      keeper = startProcess(commandOf(model.services.worker), {
        env: environment(),
        cwd: project.folder,
        log: join(project.state, 'keeper.log'),
      });
      await keeper.until('the worker is healthy by the check of the file', isHealthy);
    });
    afterAll(() => keeper.end('SIGTERM'));

    test('a command in its environment uses it, and a run passes after the loss of the worker and then of the server', async () => {
      await project.write('fixtures/kept.yaml', waitingAgent('kept'));
      const command = project.start(['run', 'kept', '--json'], environment());
      await untilLines(project, 'kept.starts', 1);
      expect((await partOf(project, 'keeper'))?.pid).toBe(keeper.pid);
      await kill(project, 'worker');
      await until('another worker', () => partOf(project, 'worker'));
      await stack.server().end('SIGKILL');
      await stack.startServer();
      await project.write('kept.go', '');
      const { exitCode, stdout, stderr } = await command;
      expect(exitCode, stderr).toBe(0);
      await expectAdopted(JSON.parse(stdout) as SweepDocument, 'kept');
    });

    test('a frozen worker is not healthy', async () => {
      const worker = await until('a worker', () => partOf(project, 'worker'));
      expect(await isHealthy()).toBe(true);
      // The keeper would replace it eventually, so it is frozen too.
      for (const { pid } of [keeper, worker]) process.kill(pid, 'SIGSTOP');
      try {
        await until('unhealthy', async () => ((await isHealthy()) ? null : true));
      } finally {
        for (const { pid } of [worker, keeper]) process.kill(pid, 'SIGCONT');
      }
    });
  });

  test('after a standalone worker is killed, the next one adopts the agent', async () => {
    await project.write('fixtures/plain.yaml', waitingAgent('plain'));
    const { folder } = projectState(project.results, project.state);
    const workers: Started[] = [];
    const startWorker = async (): Promise<Started> => {
      const worker = startProcess(['llm-tool-test', 'worker', '--address', stack.address], {
        env: stack.environmentOf('worker', { LLM_TOOL_TEST_HOME: project.state }),
        cwd: project.folder,
        log: join(project.state, 'plain-worker.log'),
      });
      workers.push(worker);
      await worker.until('the worker polls', () => Promise.resolve(readyWorker(folder)?.pid === worker.pid));
      return worker;
    };
    try {
      const args = ['run', 'plain', '--address', stack.address, '--detach', '--json'];
      const { sweep } = JSON.parse((await project.cli(args)).stdout) as SweepDocument;
      await untilLines(project, 'plain.starts', 1);
      expect((await project.cli(['engine', 'stop'])).exitCode).toBe(0);

      const first = await startWorker();
      const runs = join(folder, 'work');
      await until('the first worker has begun the second attempt', () =>
        readdirSync(runs).some(
          (run) => run.includes('plain') && existsSync(join(runs, run, 'agent-attempts', '2')),
        )
          ? true
          : null,
      );
      await first.end('SIGKILL');
      await startWorker();
      await project.write('plain.go', '');
      const document = await until('the sweep is completed', async () => {
        const shown = JSON.parse((await project.cli(['show', sweep, '--json'])).stdout) as SweepDocument;
        return shown.status === 'completed' ? shown : null;
      });
      await expectAdopted(document, 'plain');
    } finally {
      for (const worker of workers) await worker.end('SIGTERM');
    }
  });
});

const readyWorker = (stateFolder: string): ProcessIdentity | null => {
  const file = workerReadyFile(stateFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity) : null;
};
