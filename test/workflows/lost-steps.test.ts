import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Deps } from '../../src/activities/step/deps.js';
import { noteOpenRun } from '../../src/activities/step/open-runs.js';
import { watchRuns, type Watch } from '../../src/activities/watch/watch-runs.js';
import { ownWorkerIdentity } from '../../src/engine/temporal/worker-identity.js';
import { WORKFLOWS } from '../../src/protocol/index.js';
import { isOwnServer } from '../activities/in-activity.js';
import { newFolder } from '../host/temporary.js';
import { bundleWorkflows, quietRuntime } from './harness.js';
import { cell } from './stub-activities.js';

let native: NativeConnection;
let client: Client;

beforeAll(async () => {
  quietRuntime();
  const address = inject('temporalAddress');
  native = await NativeConnection.connect({ address });
  client = new Client({ connection: await Connection.connect({ address }) });
});
afterAll(async () => {
  await native.close();
  await client.connection.close();
});

interface HandedOut {
  taskQueue: string;
  workflow: WorkflowHandle;
  watch: Watch;
}

/** A run with a first step that the server has handed to a worker of this identity, which does not perform it. */
async function handedTo(identity: string): Promise<HandedOut> {
  const root = await newFolder();
  const deps: Deps = { resultsPath: join(root, 'results'), stateFolder: join(root, 'state'), isOwnServer };
  const taskQueue = `handed-out-${randomUUID().slice(0, 8)}`;
  const workflowId = `run/${taskQueue}`;
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    identity: 'workflows only',
    workflowBundle: await bundleWorkflows(),
  });
  const firstRunId = await worker.runUntil(async () => {
    const { firstExecutionRunId } = await client.workflow.start(WORKFLOWS.run, {
      workflowId,
      taskQueue,
      args: [{ sweep: taskQueue, cell: cell() }],
    });
    const { activityId } = await client.connection.withDeadline(Date.now() + 60_000, () =>
      client.workflowService.pollActivityTaskQueue({
        namespace: 'default',
        taskQueue: { name: taskQueue },
        identity,
      }),
    );
    expect(activityId).not.toBe('');
    return firstExecutionRunId;
  });
  noteOpenRun(deps, { sweep: taskQueue, cell: cell(), run: taskQueue, workflowId, firstRunId, proof: '' });
  const watch = watchRuns(deps, new Client({ connection: native }), () => expect.unreachable());
  return { taskQueue, workflow: client.workflow.getHandle(workflowId), watch };
}

/** The current attempt of the step, and how the one before it ended. */
async function attemptOf({ workflow }: HandedOut) {
  const [step] = (await workflow.describe()).raw.pendingActivities ?? [];
  return { attempt: step?.attempt, failure: step?.lastFailure?.message };
}

it('a worker that starts makes the server hand out the steps of a dead worker again', async () => {
  const died = execa('true');
  await died;
  const one = await handedTo(`${String(died.pid)}@${hostname()}#00000000`);
  await one.watch.start(one.taskQueue);
  one.watch.stop();
  expect(await attemptOf(one)).toEqual({ attempt: 2, failure: 'worker lost' });
  await one.workflow.terminate();
});

it('a step that was handed to this worker but never reached it is handed out again in the second round', async () => {
  const one = await handedTo(ownWorkerIdentity());
  await one.watch.round(true);
  expect(await attemptOf(one)).toEqual({ attempt: 1, failure: undefined });
  await one.watch.round(true);
  expect(await attemptOf(one)).toEqual({ attempt: 2, failure: 'worker lost' });
  await one.workflow.terminate();
});

it('leaves a step to a worker on another host', async () => {
  const one = await handedTo('1@elsewhere#00000000');
  await one.watch.start(one.taskQueue);
  await one.watch.round(true);
  one.watch.stop();
  expect(await attemptOf(one)).toMatchObject({ attempt: 1 });
  await one.workflow.terminate();
});
