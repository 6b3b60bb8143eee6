import { Context } from '@temporalio/activity';
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { findEndedRuns } from '../../src/activities/find-ended-runs.js';
import { withRetryPolicy } from '../../src/activities/step/retry-policy.js';
import { SIGNALS } from '../../src/protocol/index.js';
import { isOwnServer } from '../activities/in-activity.js';
import { eventually, useTemporal, type SweepHandle } from './harness.js';
import { payloadSizes, record } from './history.js';
import { blockedAgents, brief, broken, cell, cellsUpTo, flaky, pagesOf, stubActivities } from './stub-activities.js';
import { endOf, historiesOf, ids, progressOf, ranCells, update } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

/** The sweep, once a second history has taken over. */
async function secondHistory(client: Client, handle: SweepHandle): Promise<SweepHandle> {
  const newest = client.workflow.getHandle<never>(handle.workflowId) as unknown as SweepHandle;
  await eventually(async () => expect((await newest.describe()).runId).not.toBe(handle.firstExecutionRunId));
  return newest;
}

it('a new history takes over the counts, and every cell runs once', async () => {
  const cells = cellsUpTo(8);
  const stubs = stubActivities({
    loadCells: pagesOf(cells, ({ repetition }) => (repetition === 2 ? 'fail' : null)),
  });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ cellsPerHistory: 2 });
    expect(await handle.result()).toEqual({
      status: 'completed',
      counts: { pass: 7, fail: 1, error: 0, cancelled: 0 },
    });
    expect((await historiesOf(client, handle)).length).toBeGreaterThan(1);
  });
  expect(ranCells(stubs).sort()).toEqual(ids(cells).filter((_, index) => index !== 1));
  expect(endOf(stubs)).toHaveLength(1);
});

it('a new history takes over running cells without waiting for them, and learns when they end', async () => {
  const cells = cellsUpTo(6);
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ cellsPerHistory: 2, concurrency: 2 });
    const newest = await secondHistory(client, handle);
    // The first two are still working and occupy both slots.
    await eventually(() => expect([...agents.started].sort()).toEqual(ids(cells.slice(0, 2))));
    expect((await progressOf(newest)).active).toHaveLength(2);
    await update(newest, 'pause');
    agents.release(cell(1).id);
    await eventually(async () => expect((await progressOf(newest)).counts.pass).toBe(1));
    await update(newest, 'resume');
    await eventually(() => expect(agents.started).toHaveLength(3));
    agents.releaseAll();
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 6 } });
    const histories = await historiesOf(client, handle);
    expect(histories.length).toBeGreaterThan(1);
    expect(Math.max(...payloadSizes(histories))).toBeLessThan(16 * 1024);
    for (const [index, history] of histories.slice(0, 2).entries()) {
      const recorded = { fetchHistory: () => Promise.resolve(history) };
      await record(`sweep-continued-${index + 1}`, recorded);
    }
  });
  expect(agents.started.sort()).toEqual(ids(cells));
});

it('a new history takes over runs that wait for their provider and wakes them', async () => {
  const cells = cellsUpTo(5);
  let limited = true;
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    runAgent: ({ cell: { repetition } }) =>
      Promise.resolve(
        repetition === 1 && limited
          ? brief({
              ...{ ending: 'unable', completed: false, message: 'not served', costUsd: null },
              again: { why: 'limit', at: Date.now() + 3600_000 },
            })
          : brief(),
      ),
  });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ cellsPerHistory: 2, concurrency: 2 });
    const newest = client.workflow.getHandle<never>(handle.workflowId) as unknown as SweepHandle;
    await eventually(async () => {
      expect(await progressOf(newest)).toMatchObject({ counts: { pass: 4 }, parked: [{ cell: cell(1).id }] });
    });
    expect((await newest.describe()).runId).not.toBe(handle.firstExecutionRunId);
    limited = false;
    await update(newest, 'goOn');
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 5 } });
  });
});

it('tries again to find ended inherited runs no matter how often it fails, and the sweep waits for the answer', async () => {
  const FAILURES = 10; // other steps are given up after 8
  const agents = blockedAgents();
  const look = findEndedRuns({ isOwnServer });
  const stubs = stubActivities({
    loadCells: pagesOf(cellsUpTo(4)),
    runAgent: agents.runAgent,
    // With the retry policy of a worker.
    ...withRetryPolicy(
      { isOwnServer, resultsPath: '/none', stateFolder: '/none' },
      {
        findEndedRuns: (wanted: Parameters<typeof look>[0]) =>
          Context.current().info.attempt > FAILURES ? look(wanted) : Promise.reject(flaky('not now')),
      },
    ),
  });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ cellsPerHistory: 2, concurrency: 2 });
    const newest = client.workflow.getHandle<never>(handle.workflowId) as unknown as SweepHandle;
    await eventually(async () => expect((await newest.describe()).runId).not.toBe(handle.firstExecutionRunId));
    agents.releaseAll();
    await eventually(() =>
      expect(stubs.calls).toContainEqual(expect.objectContaining({ activity: 'findEndedRuns', attempt: FAILURES + 1 })),
    );
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 4 } });
  });
});

it('a cancel also ends the runs that an earlier history has started', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(4)), runAgent: agents.runAgent });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ cellsPerHistory: 2, concurrency: 2 });
    const newest = await secondHistory(client, handle);
    await update(newest, 'cancel');
    expect(await handle.result()).toMatchObject({ status: 'cancelled', counts: { pass: 0, cancelled: 2 } });
  });
  expect(agents.started).toHaveLength(2);
});

it('finds out from the server that runs of an earlier history have ended unannounced, and frees their slots', async () => {
  const cells = cellsUpTo(6);
  const [killed, unheard, unwritten, stopped] = cells.map(({ id }) => id);
  const agents = blockedAgents();
  const ended = findEndedRuns({ isOwnServer });
  const stubs = stubActivities({
    loadCells: async (wanted) => {
      const page = await pagesOf(cells)(wanted);
      return { ...page, cells: page.cells.map((one) => ({ ...one, estimateUsd: 0.1, limited: true })) };
    },
    runAgent: agents.runAgent,
    // The announcement of one of them has no effect, since it has not closed by then.
    findEndedRuns: (wanted) =>
      wanted.waitMs > 0 && wanted.runs[0]?.cell === unheard ? Promise.resolve([]) : ended(wanted),
    writeReport: ({ cell: { id } }, { cancelled }) =>
      id === unwritten
        ? Promise.reject(broken('no space left'))
        : Promise.resolve({ outcome: cancelled ? 'cancelled' : 'pass', message: '', costUsd: 1 }),
  });
  await onBench(stubs, async ({ client, startSweep, runOf }) => {
    const handle = await startSweep({ cellsPerHistory: 4, concurrency: 4, maxUsd: 99 });
    const newest = await secondHistory(client, handle);
    await eventually(() => expect(agents.started).toHaveLength(4));
    await runOf(cell(1)).terminate('by hand');
    await runOf(cell(4)).cancel();
    await expect(runOf(cell(4)).result()).rejects.toThrow(WorkflowFailedError);
    agents.releaseAll();
    expect(await handle.result()).toEqual({
      status: 'completed',
      counts: { pass: 3, fail: 0, error: 2, cancelled: 1 },
    });
    // The run that left no report tells what its agent has cost; for the terminated run this is unknown.
    expect(await progressOf(newest)).toMatchObject({ spentUsd: 4.25 });
  });
  expect([...agents.started].sort()).toEqual(ids(cells));
  const lostMessage = (reason: string): unknown => expect.stringMatching(`did not complete: .*${reason}`);
  expect(endOf(stubs)[0]?.lost).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ cell: killed, message: lostMessage('by hand') }),
      expect.objectContaining({ cell: unwritten, message: lostMessage('no space left') }),
    ]),
  );
  expect(endOf(stubs)[0]?.lost.map((one) => one.cell)).not.toContain(stopped);
});

it('a signal does not end a run of an earlier history while the server says that it is running', async () => {
  const agents = blockedAgents();
  const ended = findEndedRuns({ isOwnServer });
  const stubs = stubActivities({
    loadCells: pagesOf(cellsUpTo(3)),
    runAgent: agents.runAgent,
    findEndedRuns: (wanted) => ended({ ...wanted, waitMs: 0 }),
  });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ cellsPerHistory: 2, concurrency: 2 });
    const newest = await secondHistory(client, handle);
    await eventually(() => expect(agents.started).toHaveLength(2));
    for (const { id } of cellsUpTo(3)) await newest.signal(SIGNALS.runEnded, { cell: id });
    await eventually(async () => {
      const { events } = await newest.fetchHistory();
      const answers = events?.filter((event) => event.activityTaskCompletedEventAttributes);
      // The server is not asked about the third, which this history has not inherited. All are looked up each minute,
      // too.
      const asked = stubs.argsOf('findEndedRuns').filter(([wanted]) => wanted.waitMs > 0);
      expect(asked).toHaveLength(2);
      expect(answers?.length).toBeGreaterThanOrEqual(2);
    });
    await update(newest, 'pause');
    expect(await progressOf(newest)).toMatchObject({
      active: cellsUpTo(2).map(({ id }) => ({ cell: id })),
      counts: { pass: 0, fail: 0, error: 0, cancelled: 0 },
    });
    expect(agents.started).toHaveLength(2);
    await update(newest, 'resume');
    agents.releaseAll();
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 3 } });
  });
});
