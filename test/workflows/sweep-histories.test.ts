import { expect, test } from 'vitest';
import { eventually, useTemporal, type SweepHandle } from './harness.js';
import { payloadSizes, record } from './history.js';
import { blockedAgents, cell, cellsUpTo, pagesOf, stubActivities } from './stub-activities.js';
import { endOf, historiesOf, ids, progressOf, ranCells, update } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

it('a new history takes over counts, and every cell runs once', async () => {
  const cells = cellsUpTo(8);
  const stubs = stubActivities({
    loadCells: pagesOf(cells, ({ repetition }) => (repetition === 2 ? 'fail' : null)),
  });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ cellsPerHistory: 3 });
    expect(await handle.result()).toEqual({
      status: 'completed',
      counts: { pass: 7, fail: 1, error: 0, cancelled: 0 },
    });
    expect(await historiesOf(client, handle)).toHaveLength(3);
  });
  expect(ranCells(stubs).sort()).toEqual(ids(cells).filter((_, index) => index !== 1));
  expect(endOf(stubs)).toHaveLength(1);
});

it('a new history takes over that the sweep is paused, and the lost cells', async () => {
  const cells = cellsUpTo(5);
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ client, startSweep, runOf }) => {
    const handle = await startSweep({ cellsPerHistory: 2, concurrency: 2 });
    await eventually(() => expect(agents.started).toHaveLength(2));
    agents.release(cell(1).id);
    // The first history admits no third cell though a slot is free: it ends with its last run.
    await eventually(async () => expect((await progressOf(handle)).counts.pass).toBe(1));
    await update(handle, 'pause');
    await runOf(cell(2)).terminate('by hand');
    const { firstExecutionRunId } = handle;
    const newest = client.workflow.getHandle<never>(handle.workflowId) as unknown as SweepHandle;
    await eventually(async () => expect((await newest.describe()).runId).not.toBe(firstExecutionRunId));
    const carried = { status: 'paused', active: [], total: 5, counts: { pass: 1, error: 1 } };
    await eventually(async () => expect(await progressOf(newest)).toMatchObject(carried));
    expect(agents.started).toHaveLength(2);

    agents.releaseAll();
    await update(newest, 'resume');
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 4, error: 1 } });
    const histories = await historiesOf(client, handle);
    expect(histories).toHaveLength(3);
    expect(Math.max(...payloadSizes(histories))).toBeLessThan(16 * 1024);
    for (const [index, history] of histories.entries()) {
      await record(`sweep-continued-${index + 1}`, { fetchHistory: () => Promise.resolve(history) });
    }
  });
  expect(agents.started.sort()).toEqual(ids(cells));
  expect(endOf(stubs)).toMatchObject([{ status: 'completed', lost: [{ cell: cells[1]?.id }] }]);
});

it('a cancel while a history waits for its last runs ends the sweep', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(4)), runAgent: agents.runAgent });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ cellsPerHistory: 2, concurrency: 2 });
    await eventually(() => expect(agents.started).toHaveLength(2));
    agents.release(cell(1).id);
    await eventually(async () => expect((await progressOf(handle)).counts.pass).toBe(1));
    await update(handle, 'cancel');
    expect(await handle.result()).toMatchObject({ status: 'cancelled', counts: { pass: 1, cancelled: 1 } });
    expect(await historiesOf(client, handle)).toHaveLength(1);
  });
  expect(agents.started).toHaveLength(2);
});
