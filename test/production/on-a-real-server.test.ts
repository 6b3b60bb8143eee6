import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connect } from '../../src/engine/temporal/temporal-client.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { copyExamples, createProject, EMPTY_FIXTURE, until, type TestProject } from '../commands/project.js';
import type { HostRecord } from '../../src/model/records/host-record.js';
import { newFolder } from '../host/temporary.js';
import { commandOf, loadCompose, type ComposeModel } from './compose-file.js';
import { startStack, type Stack } from './stack.js';
import { startProcess, type Started } from './started.js';

const loader = inject('composeLoader');
const programs = inject('serverPrograms');
const missing = loader.missing ?? programs.missing;
const why = missing === null ? '' : ` (skipped: ${missing})`;

let model: ComposeModel;
let stack: Stack;
let project: TestProject;
let client: Client;

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
    await until('the run is found', async () => ((await client.workflow.count(query)).count === 1 ? true : null));
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

  test('each worker takes a state folder that no other has, and the next one there is the same host', async () => {
    const folder = await newFolder();
    await mkdir(join(folder, 'hosts'));
    const results = join(folder, 'results');
    const command = commandOf(model.services.worker).map((part) =>
      part.replaceAll('/home/hosts', join(folder, 'hosts')).replaceAll('/tmp/home', join(folder, 'home')),
    );
    const env = stack.environmentOf('worker', { RESULTS: results, LLM_TOOL_TEST_METRICS: '' });
    const started: Started[] = [];
    /** Starts a worker, and waits until these hosts are at work. Returns their ids by name. */
    const start = async (...names: string[]): Promise<Map<string, string>> => {
      const worker = startProcess(command, { env, cwd: folder, log: join(folder, 'worker.log') });
      started.push(worker);
      let ids = new Map<string, string>();
      await worker.until(`the hosts ${names.join(', ')}`, async () => {
        const { exitCode, stdout } = await project.cli(['workers', '--results', results, '--json']);
        const hosts = exitCode === 0 ? (JSON.parse(stdout) as { hosts: HostRecord[] }).hosts : [];
        ids = new Map(hosts.map(({ name, id }) => [name, id]));
        return names.every((name) => ids.has(name)) && hosts.length === names.length;
      });
      return ids;
    };
    try {
      await start('worker-1');
      const before = await start('worker-1', 'worker-2');
      expect(new Set(before.values()).size).toBe(2);
      await started[0]?.end('SIGTERM');
      const after = await start('worker-1', 'worker-2');
      expect([...after]).toEqual([...before]);
    } finally {
      for (const one of started) await one.end('SIGTERM');
    }
  });
});
