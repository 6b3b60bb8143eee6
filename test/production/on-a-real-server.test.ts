import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connect } from '../../src/engine/temporal/temporal-client.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { copyExamples, createProject, EMPTY_FIXTURE, until, type TestProject } from '../commands/project.js';
import { loadCompose, type ComposeModel } from './compose-file.js';
import { startStack, type Stack } from './stack.js';

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
});
