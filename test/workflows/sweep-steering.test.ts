import { expect, test } from 'vitest';
import { eventually, useTemporal, type SweepHandle } from './harness.js';
import { record } from './history.js';
import { blockedAgents, cellsUpTo, latch, pagesOf, stubActivities, type Stubs } from './stub-activities.js';
import { endOf, ids, progressOf, ranCells, update } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

it('a paused sweep starts nothing while its running cells finish, and continues when resumed', async () => {
  const cells = cellsUpTo(4);
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep();
    await eventually(() => expect(agents.started).toHaveLength(2));
    expect(await update(handle, 'pause')).toBe('paused');
    agents.releaseAll();
    // A free slot is filled in the same task that frees it: if none is by now, none will be.
    const idle = { status: 'paused', active: [], counts: { pass: 2 } };
    await eventually(async () => expect(await progressOf(handle)).toMatchObject(idle));
    expect(agents.started).toHaveLength(2);
    expect(await update(handle, 'resume')).toBe('running');
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 4 } });
    await record('sweep-paused-and-resumed', handle);
  });
  expect(agents.started.sort()).toEqual(ids(cells));
});

it('a sweep that is paused while its last cells run completes when they end', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(2)), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep();
    await eventually(() => expect(agents.started).toHaveLength(2));
    await update(handle, 'pause');
    agents.releaseAll();
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 2 } });
  });
});

it.each([
  ['the cancel update', (handle: SweepHandle) => update(handle, 'cancel')],
  ['a cancel from outside', (handle: SweepHandle) => handle.cancel()],
])('%s cancels the open runs, starts no more, and waits for their reports', async (how, cancel) => {
  const cells = cellsUpTo(5);
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ name, startSweep }) => {
    const handle = await startSweep();
    await eventually(() => expect(agents.started).toHaveLength(2));
    await cancel(handle);
    expect(await handle.result()).toEqual({
      status: 'cancelled',
      counts: { pass: 0, fail: 0, error: 0, cancelled: 2 },
    });
    expect(endOf(stubs)).toEqual([
      { sweep: name, round: 1, status: 'cancelled', lost: [], origin: expect.anything() as unknown },
    ]);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    if (how === 'the cancel update') await record('sweep-cancelled', handle);
  });
  expect(agents.started).toHaveLength(2);
  const activities = stubs.calls.map(({ activity }) => activity);
  // Counted by cell: the workflow task that learns that the stop has ended may run again, and its report with it.
  expect(new Set(stubs.argsOf('writeReport').map(([run]) => run.cell.id)).size).toBe(2);
  expect(activities.at(-1)).toBe('finishSweep');
  expect(stubs.argsOf('writeReport').every(([, { cancelled }]) => cancelled)).toBe(true);
});

it('updates that arrive in one workflow task do not end the sweep early', async () => {
  const cells = cellsUpTo(3);
  const stubs = stubActivities({ loadCells: pagesOf(cells) });
  await onBench(
    stubs,
    async ({ startSweep, work }) => {
      const handle = await startSweep();
      // No worker yet: the first workflow task gets all three.
      const updates = Promise.all([update(handle, 'pause'), update(handle, 'resume'), update(handle, 'pause')]);
      await work(async () => {
        await updates;
        await update(handle, 'resume');
        expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 3 } });
      });
    },
    { idle: true },
  );
  expect(ranCells(stubs).sort()).toEqual(ids(cells));
  expect(endOf(stubs)).toHaveLength(1);
});

it('a paused sweep can be cancelled', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(3)), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ concurrency: 1 });
    await eventually(() => expect(agents.started).toHaveLength(1));
    await update(handle, 'pause');
    agents.releaseAll();
    await eventually(async () => expect((await progressOf(handle)).active).toEqual([]));
    expect(await update(handle, 'cancel')).toBe('cancelled');
    expect(await handle.result()).toMatchObject({ status: 'cancelled', counts: { pass: 1, cancelled: 0 } });
  });
  expect(agents.started).toHaveLength(1);
});

it('a sweep that is cancelled before it begins starts nothing', async () => {
  const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(3)) });
  await onBench(
    stubs,
    async ({ startSweep, work }) => {
      const handle = await startSweep();
      await handle.cancel();
      await work(() => handle.result());
    },
    { idle: true },
  );
  expect(ranCells(stubs)).toEqual([]);
  expect(endOf(stubs)).toMatchObject([{ status: 'cancelled' }]);
});

it('a sweep that is cancelled while it reads a page starts no cell of it', async () => {
  const reading = latch();
  const cells = cellsUpTo(3);
  const stubs: Stubs = stubActivities({
    loadCells: (page) => reading.opened.then(() => pagesOf(cells)(page)),
  });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep();
    await eventually(() => expect(stubs.argsOf('loadCells')).toHaveLength(1));
    await update(handle, 'cancel');
    reading.open();
    expect(await handle.result()).toMatchObject({ status: 'cancelled', counts: { cancelled: 0 } });
  });
  expect(ranCells(stubs)).toEqual([]);
});
