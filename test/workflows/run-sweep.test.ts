import type { Cell } from '../../src/results/cell.js';
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { QUERIES, UPDATES, type SweepProgress, type SweepStatus } from '../../src/workflows/protocol.js';
import { attributesOf, eventually, useTemporal, type SweepHandle } from './harness.js';
import { payloadSizes, record } from './history.js';
import {
  blockedAgents,
  broken,
  card,
  cell,
  cellsUpTo,
  latch,
  pagesOf,
  stubActivities,
  type Stubs,
} from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

const progressOf = (handle: SweepHandle): Promise<SweepProgress> =>
  handle.query<SweepProgress>(QUERIES.progress);
const update = (handle: SweepHandle, name: keyof typeof UPDATES): Promise<SweepStatus> =>
  handle.executeUpdate<SweepStatus, []>(UPDATES[name]);

const ranCells = (stubs: Stubs): string[] => stubs.argsOf('runAgent').map(([run]) => run.cell.id);
const ids = (cells: Cell[]): string[] => cells.map(({ id }) => id);
const endOf = (stubs: Stubs) => stubs.argsOf('finishSweep').map(([end]) => end);

/** Histories of a sweep, the first one first. */
async function historiesOf(client: Client, { workflowId, firstExecutionRunId }: SweepHandle) {
  const histories = [];
  for (let runId: string | undefined = firstExecutionRunId; runId !== undefined;) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.push(history);
    runId =
      history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return histories;
}

it('runs every cell once and ends with the counts of their outcomes', async () => {
  const cells = cellsUpTo(4);
  const outcomes = ['pass', 'fail', 'error', 'pass'] as const;
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    writeReport: ({ cell: { repetition } }) =>
      Promise.resolve({ outcome: outcomes[repetition - 1] ?? 'pass', message: '', costUsd: null }),
  });
  await onBench(stubs, async ({ name, startSweep }) => {
    const handle = await startSweep();
    expect(await handle.result()).toEqual({
      status: 'completed',
      counts: { pass: 2, fail: 1, error: 1, cancelled: 0 },
    });
    expect(endOf(stubs)).toEqual([{ sweep: name, status: 'completed', lost: [] }]);
    await record('sweep-completed', handle);
  });
  expect(ranCells(stubs).sort()).toEqual(ids(cells));
});

it('fills all its slots and never has more runs open than its concurrency', async () => {
  const cells = cellsUpTo(5);
  const agents = blockedAgents();
  let open = 0;
  let most = 0;
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    prepareWorkspace: () => {
      open += 1;
      most = Math.max(most, open);
      return Promise.resolve(card());
    },
    runAgent: agents.runAgent,
    cleanUp: () => {
      open -= 1;
      return Promise.resolve(true);
    },
  });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ concurrency: 3 });
    for (let done = 0; done < cells.length; done += 1) {
      await eventually(() => expect(agents.started).toHaveLength(Math.min(done + 3, cells.length)));
      const { active, counts, total } = await progressOf(handle);
      expect({ open: active.length, ...counts, total }).toMatchObject({
        open: Math.min(3, cells.length - done),
        pass: done,
        total: 5,
      });
      agents.release(cells[done]?.id ?? '');
      await eventually(async () => expect((await progressOf(handle)).counts.pass).toBe(done + 1));
    }
    await handle.result();
  });
  expect(agents.started.sort()).toEqual(ids(cells));
  expect(most).toBe(3);
});

it('keeps to the caps of agents and models, and lets other cells pass those that wait', async () => {
  const of = (repetition: number, agent: string, model: string): Cell =>
    cell(repetition, { id: `${repetition}`, agent, model });
  const cells = [of(1, 'a', 'x'), of(2, 'a', 'x'), of(3, 'b', 'x'), of(4, 'b', 'y'), of(5, 'a', 'y')];
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ concurrency: 4, caps: { agents: { a: 1 }, models: { x: 2 } } });
    // 2 and 5 wait for 1, their agent's only place.
    await eventually(() => expect([...agents.started].sort()).toEqual(['1', '3', '4']));
    expect((await progressOf(handle)).active).toHaveLength(3);
    agents.release('1');
    await eventually(() => expect(agents.started.at(-1)).toBe('2'));
    agents.release('2');
    await eventually(() => expect(agents.started.at(-1)).toBe('5'));
    agents.releaseAll();
    expect((await handle.result()).counts.pass).toBe(5);
  });
});

it('starts no cell that might pass its budget, across histories too', async () => {
  const cells = cellsUpTo(6);
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    writeReport: () => Promise.resolve({ outcome: 'pass', message: '', costUsd: 0.3 }),
  });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ maxUsd: 1, concurrency: 3, cellsPerHistory: 2 });
    // The first one tells what the others may cost; after the third there is no room for a fourth.
    expect((await handle.result()).counts).toEqual({ pass: 3, fail: 0, error: 3, cancelled: 0 });
    await record('sweep-budget', handle);
  });
  expect(ranCells(stubs)).toEqual(ids(cells.slice(0, 3)));
  expect(endOf(stubs)[0]).toMatchObject({ overBudget: { maxUsd: 1, spentUsd: 0.9 } });
});

it('goes through all pages of the cells, and what has a result already is counted and not run again', async () => {
  const cells = cellsUpTo(205);
  const open = [cells[0], cells[99], cells[100], cells[204]].map((one) => one?.id);
  const stubs = stubActivities({
    loadCells: pagesOf(cells, ({ id, repetition }) =>
      open.includes(id) ? null : repetition % 2 === 0 ? 'pass' : 'fail',
    ),
  });
  await onBench(stubs, async ({ startSweep }) => {
    const { counts } = await (await startSweep()).result();
    expect(counts).toEqual({ pass: 101 + 4, fail: 100, error: 0, cancelled: 0 });
  });
  expect(stubs.argsOf('loadCells').map(([{ offset }]) => offset)).toEqual([0, 100, 200]);
  expect(ranCells(stubs).sort()).toEqual([...open].sort());
});

it('a plan whose cells fill their pages exactly ends', async () => {
  const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(100), () => 'pass') });
  await onBench(stubs, async ({ startSweep }) => {
    expect(await (await startSweep()).result()).toMatchObject({ status: 'completed', counts: { pass: 100 } });
  });
});

it('its progress names the open runs and their workflows, and its details show the same as a table', async () => {
  const agents = blockedAgents();
  const cells = [...cellsUpTo(2), cell(3, { id: 'notes/mock/maker%2Fsmall/default/3' })];
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ name, startSweep }) => {
    const handle = await startSweep({ round: 4 });
    agents.release(cells[0]?.id ?? '');
    await eventually(() => expect(agents.started).toHaveLength(3));
    expect(await progressOf(handle)).toEqual({
      status: 'running',
      active: [
        { cell: 'notes/mock/default/default/2', workflowId: `sweep/${name}/notes/mock/default/default/2/r4` },
        {
          cell: 'notes/mock/maker%2Fsmall/default/3',
          workflowId: `sweep/${name}/notes/mock/maker%2Fsmall/default/3/r4`,
        },
      ],
      total: 3,
      counts: { pass: 1, fail: 0, error: 0, cancelled: 0 },
    });
    const metadata = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('| running | 3 | 1 | 0 | 0 | 0 | 2 | 0 |');
    expect(metadata.currentDetails).toContain('| notes/mock/maker%2Fsmall/default/3 |');
    agents.releaseAll();
    await handle.result();
  });
});

it('a run is found in Temporal by its cell, with search attributes and a summary', async () => {
  const of = cell(2, { scenario: 'tidy notes', agent: 'codex', model: 'maker/small' });
  const stubs = stubActivities({ loadCells: pagesOf([of]) });
  await onBench(stubs, async ({ name, startSweep, runOf }) => {
    await (await startSweep()).result();
    const description = await runOf(of).describe();
    expect(attributesOf(description)).toEqual({
      ...{ SweepId: name, Scenario: 'tidy notes', Agent: 'codex', Model: 'maker/small' },
      ...{ Rep: 2, Outcome: 'pass', CostUsd: 0.25 },
    });
    expect(description.parentExecution?.workflowId).toBe(`sweep/${name}`);
    expect(await description.staticSummary()).toBe('tidy notes with codex maker/small #2');
  });
});

it('a paused sweep starts nothing while its running cells finish, and resume goes on', async () => {
  const cells = cellsUpTo(4);
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep();
    await eventually(() => expect(agents.started).toHaveLength(2));
    expect(await update(handle, 'pause')).toBe('paused');
    agents.releaseAll();
    // A free slot is filled in the very task that frees it: none is, once both have been counted.
    const idle = { status: 'paused', active: [], counts: { pass: 2 } };
    await eventually(async () => expect(await progressOf(handle)).toMatchObject(idle));
    expect(agents.started).toHaveLength(2);
    expect(await update(handle, 'resume')).toBe('running');
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 4 } });
    await record('sweep-paused-and-resumed', handle);
  });
  expect(agents.started.sort()).toEqual(ids(cells));
});

it('a sweep that is paused while its last cells run is completed by them', async () => {
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
    expect(endOf(stubs)).toEqual([{ sweep: name, status: 'cancelled', lost: [] }]);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    await record(`sweep-cancelled-by-${how.replaceAll(' ', '-')}`, handle);
  });
  expect(agents.started).toHaveLength(2);
  const activities = stubs.calls.map(({ activity }) => activity);
  expect(activities.filter((activity) => activity === 'writeReport')).toHaveLength(2);
  expect(activities.at(-1)).toBe('finishSweep');
  expect(stubs.argsOf('writeReport').every(([, { cancelled }]) => cancelled)).toBe(true);
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

it('a sweep that is cancelled while it reads a page starts nothing of it', async () => {
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

it('a run that is terminated gives its slot free and is named as lost', async () => {
  const cells = cellsUpTo(3);
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep, runOf }) => {
    const handle = await startSweep({ concurrency: 1 });
    await eventually(() => expect(agents.started).toHaveLength(1));
    await runOf(cell(1)).terminate('by hand');
    agents.releaseAll();
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 2, error: 1 } });
    await record('sweep-with-terminated-run', handle);
  });
  expect(endOf(stubs)[0]?.lost).toEqual([
    {
      cell: cells[0]?.id,
      message: expect.stringMatching(/^the run's workflow did not complete: .*terminated/i) as string,
    },
  ]);
});

it('a run whose report cannot be written is named as lost, with the reason', async () => {
  const stubs = stubActivities({
    loadCells: pagesOf([cell(1)]),
    writeReport: () => Promise.reject(broken('no space left')),
  });
  await onBench(stubs, async ({ startSweep }) => {
    expect(await (await startSweep()).result()).toMatchObject({ status: 'completed', counts: { error: 1 } });
  });
  const message = `the run's workflow did not complete: the report could not be written: no space left`;
  expect(endOf(stubs)[0]?.lost).toEqual([{ cell: cell(1).id, message }]);
});

it('a plan that cannot be read fails the sweep', async () => {
  const stubs = stubActivities({ loadCells: () => Promise.reject(broken('plan.json cannot be read')) });
  await onBench(stubs, async ({ startSweep }) => {
    const failure: unknown = await (await startSweep()).result().catch((error: unknown) => error);
    expect(failure).toMatchObject({ cause: { cause: { message: 'plan.json cannot be read' } } });
  });
});

it('the runs of a sweep that is terminated kill their agents and write their reports', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(2)), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep, runOf }) => {
    const handle = await startSweep();
    await eventually(() => expect(agents.started).toHaveLength(2));
    await handle.terminate();
    const results = await Promise.all([runOf(cell(1)).result(), runOf(cell(2)).result()]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
  });
});

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
