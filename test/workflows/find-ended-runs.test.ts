import { WorkflowFailedError, type Client } from '@temporalio/client';
import { CancelledFailure, defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { expect, test } from 'vitest';
import { findEndedRuns } from '../../src/activities/find-ended-runs.js';
import type { EndedRun } from '../../src/protocol/index.js';
import { inActivity, isOwnServer } from '../activities/in-activity.js';
import { eventually, useTemporal } from './harness.js';
import { blockedAgents, brief, broken, cell, stubActivities } from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

/** Returns what a sweep learns about the run of a cell from the server that the client is connected to. */
const look = (client: Client, workflowId: string, { isOwn = true, waitMs = 0 } = {}): Promise<EndedRun[]> =>
  inActivity(
    'sweep/s',
    () =>
      findEndedRuns({ isOwnServer: isOwn ? isOwnServer : () => Promise.resolve(false) })({
        sweep: 's',
        runs: [{ cell: 'c', workflowId }],
        waitMs,
      }),
    client,
  );

it('returns nothing for an open run, and with waitMs waits until it closes', async () => {
  const agents = blockedAgents();
  await onBench(stubActivities({ runAgent: agents.runAgent }), async ({ client, startRun }) => {
    const { workflowId } = await startRun(cell(1));
    await eventually(() => expect(agents.started).toHaveLength(1));
    expect(await look(client, workflowId)).toEqual([]);
    const waited = look(client, workflowId, { waitMs: 120_000 });
    agents.releaseAll();
    expect(await waited).toMatchObject([{ cell: 'c', result: { outcome: 'pass', costUsd: 0.25 } }]);
  });
});

it('a run that was terminated or left no report has no result, but a reason and what is known of its cost', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({
    runAgent: (run) => (run.cell.repetition === 1 ? agents.runAgent(run) : Promise.resolve(brief({ costUsd: 3 }))),
    writeReport: () => Promise.reject(broken('no space left')),
  });
  await onBench(stubs, async ({ client, startRun }) => {
    const [terminated, unwritten] = [await startRun(cell(1)), await startRun(cell(2))];
    await eventually(() => expect(agents.started).toHaveLength(1));
    await terminated.terminate('by hand');
    const [killed] = await look(client, terminated.workflowId);
    expect(killed).toEqual({ cell: 'c', result: null, cancelled: false, message: 'by hand' });
    await unwritten.result().catch(() => undefined);
    expect(await look(client, unwritten.workflowId)).toEqual([
      {
        cell: 'c',
        result: null,
        cancelled: false,
        knownUsd: 3,
        message: 'the report could not be written: no space left',
      },
    ]);
  });
});

it('reports a run with a cancelled workflow as cancelled, with the cost that it has noted', async () => {
  const cancelled = new WorkflowFailedError('cancelled', new CancelledFailure('by hand'), 'NON_RETRYABLE_FAILURE');
  const handle = {
    describe: () =>
      Promise.resolve({
        status: { name: 'CANCELLED' },
        typedSearchAttributes: new TypedSearchAttributes([
          { key: defineSearchAttributeKey('CostUsd', 'DOUBLE'), value: 0.5 },
        ]),
      }),
    result: () => Promise.reject(cancelled),
  };
  const client = {
    withAbortSignal: (_signal: AbortSignal, ask: () => unknown) => ask(),
    workflow: { getHandle: () => handle },
  } as unknown as Client;
  expect(await look(client, 'w')).toMatchObject([{ result: null, cancelled: true, knownUsd: 0.5 }]);
});

it('a run that is missing on the server is lost if it is the server of this worker; on any other it is an error', async () => {
  await onBench(stubActivities(), async ({ name, client }) => {
    const workflowId = `run/${name}/never started`;
    expect(await look(client, workflowId)).toMatchObject([
      { result: null, cancelled: false, message: 'the server no longer has its workflow' },
    ]);
    await expect(look(client, workflowId, { isOwn: false })).rejects.toThrow(/not found/);
  });
});
