import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import {
  type PlannedFiring,
  type ReportedFiring,
  reportWorkflowId,
  type ScheduledResult,
  sweepWorkflowId,
  WORKFLOWS,
} from '../../src/protocol/index.js';
import { eventually, useTemporal } from './harness.js';
import { record } from './history.js';
import { NO_CAPS, blockedAgents, cellsUpTo, pagesOf, stubActivities, type Stubs } from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent;

const start = (client: Client, name: string, taskQueue: string) =>
  client.workflow.start(WORKFLOWS.scheduled, {
    workflowId: `firing/${name}/${randomUUID().slice(0, 8)}`,
    taskQueue,
    args: [{ schedule: name, proof: 'p' }],
  });

/** Plans a sweep with the name of the test. */
const plans =
  (more: Partial<PlannedFiring> = {}) =>
  ({ schedule }: { schedule: string }): Promise<PlannedFiring> =>
    Promise.resolve({
      firing: '20261124-030000',
      title: '1 cell of notes',
      sweep: { sweep: schedule, proof: 'p', round: 1, concurrency: 2, caps: NO_CAPS },
      ...more,
    });

/** Waits for the end of a firing, and for its report. */
async function reportOf(handle: WorkflowHandle, client: Client): Promise<void> {
  await handle.result();
  await client.workflow.getHandle(reportWorkflowId(handle.workflowId)).result();
}

const reported = (stubs: Stubs) => stubs.argsOf('reportScheduled').map(([end]) => end);

it('plans a sweep, runs it, reports its end and sends the webhook', async () => {
  const stubs = stubActivities({
    planScheduled: plans(),
    loadCells: pagesOf(cellsUpTo(2)),
    reportScheduled: () => Promise.resolve({ exitCode: 1, webhook: true }),
  });
  await onBench(stubs, async ({ name, client, taskQueue }) => {
    const handle = await start(client, name, taskQueue);
    expect((await handle.result()) as ScheduledResult).toEqual({ firing: '20261124-030000', sweep: name });
    const report = client.workflow.getHandle(reportWorkflowId(handle.workflowId));
    expect((await report.result()) as ReportedFiring).toEqual({ firing: '20261124-030000', exitCode: 1 });
    expect((await handle.describe()).memo).toMatchObject({ sweep: name });
    const execution = handle.firstExecutionRunId;
    const ref = { schedule: name, proof: 'p', execution };
    expect(stubs.argsOf('planScheduled')).toEqual([[ref]]);
    expect(reported(stubs)).toEqual([{ ...ref, firing: '20261124-030000', status: 'completed' }]);
    expect(stubs.argsOf('sendWebhook')).toEqual([[{ ...ref, firing: '20261124-030000' }]]);
    await record('firing-completed', handle);
  });
  expect(stubs.argsOf('runAgent')).toHaveLength(2);
});

it('ends with its sweep, while its report and its webhook go on', async () => {
  const stubs = stubActivities({
    planScheduled: plans(),
    loadCells: pagesOf(cellsUpTo(1)),
    reportScheduled: () => Promise.resolve({ exitCode: 0, webhook: true }),
    sendWebhook: () => Promise.reject(new Error('nobody answers')),
  });
  await onBench(stubs, async ({ name, client, taskQueue }) => {
    const handle = await start(client, name, taskQueue);
    expect((await handle.result()) as ScheduledResult).toMatchObject({ sweep: name });
    const report = client.workflow.getHandle(reportWorkflowId(handle.workflowId));
    await eventually(() => expect(stubs.argsOf('sendWebhook').length).toBeGreaterThan(1));
    expect((await report.describe()).status.name).toBe('RUNNING');
    await report.terminate('end of the test');
  });
});

it('reports a firing that could not be started', async () => {
  const stubs = stubActivities({ planScheduled: plans({ sweep: null }) });
  await onBench(stubs, async ({ name, client, taskQueue }) => {
    const handle = await start(client, name, taskQueue);
    await reportOf(handle, client);
    expect(reported(stubs)).toMatchObject([{ status: 'not started' }]);
  });
  expect(stubs.argsOf('sendWebhook')).toEqual([]);
});

it('cancels its sweep when it is cancelled, and reports that', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({
    planScheduled: plans(),
    loadCells: pagesOf(cellsUpTo(1)),
    runAgent: agents.runAgent,
  });
  await onBench(stubs, async ({ name, client, taskQueue }) => {
    const handle = await start(client, name, taskQueue);
    await eventually(() => expect(agents.started).toHaveLength(1));
    await handle.cancel();
    await reportOf(handle, client);
    expect(reported(stubs)).toMatchObject([{ status: 'cancelled' }]);
    expect(stubs.argsOf('finishSweep')).toMatchObject([[{ sweep: name, status: 'cancelled' }]]);
  });
});

it('reports a sweep whose workflow is terminated as lost', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({
    planScheduled: plans(),
    loadCells: pagesOf(cellsUpTo(1)),
    runAgent: agents.runAgent,
  });
  await onBench(stubs, async ({ name, client, taskQueue, runOf }) => {
    const handle = await start(client, name, taskQueue);
    await eventually(() => expect(agents.started).toHaveLength(1));
    await client.workflow.getHandle(sweepWorkflowId(name)).terminate('by hand');
    await reportOf(handle, client);
    expect(reported(stubs)).toMatchObject([{ status: 'lost' }]);
    agents.releaseAll();
    await runOf(cellsUpTo(1)[0] ?? fail()).result();
  });
});

const fail = (): never => {
  throw new Error('there is no cell');
};
