import type { Cell } from '../../src/model/records/cell.js';
import { expect, test } from 'vitest';
import { attributesOf, eventually, useTemporal } from './harness.js';
import { record } from './history.js';
import { blockedAgents, runPlan, cell, cellsUpTo, pagesOf, stubActivities } from './stub-activities.js';
import { endOf, ids, progressOf, ranCells } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent;

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
    expect(endOf(stubs)).toEqual([
      { sweep: name, round: 1, status: 'completed', lost: [], origin: expect.anything() as unknown },
    ]);
  });
  expect(ranCells(stubs).sort()).toEqual(ids(cells));
});

it('fills all its slots and never has more runs open than its concurrency', async () => {
  const cells = cellsUpTo(5);
  const agents = blockedAgents();
  // Counted by cell: a late workflow task is performed again, together with its steps.
  const open = new Set<string>();
  let most = 0;
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    prepareWorkspace: ({ cell: { id } }) => {
      open.add(id);
      most = Math.max(most, open.size);
      return Promise.resolve(runPlan());
    },
    runAgent: agents.runAgent,
    cleanUp: ({ cell: { id } }) => {
      open.delete(id);
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

it('keeps to the caps of agents and models, and lets other cells overtake those that wait', async () => {
  const of = (repetition: number, agent: string, model: string): Cell =>
    cell(repetition, { id: `${repetition}`, agent, model });
  const cells = [of(1, 'a', 'x'), of(2, 'a', 'x'), of(3, 'b', 'x'), of(4, 'b', 'y'), of(5, 'a', 'y')];
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ concurrency: 4, caps: { agents: { a: 1 }, models: { x: 2 } } });
    // 2 and 5 wait for 1, which takes the only place of their agent.
    await eventually(() => expect([...agents.started].sort()).toEqual(['1', '3', '4']));
    expect((await progressOf(handle)).active).toHaveLength(3);
    agents.release('1');
    // The models of an agent take turns.
    await eventually(() => expect(agents.started.at(-1)).toBe('5'));
    agents.release('5');
    await eventually(() => expect(agents.started.at(-1)).toBe('2'));
    agents.releaseAll();
    expect((await handle.result()).counts.pass).toBe(5);
  });
});

it('starts no cell that might exceed the budget, even across histories', async () => {
  const cells = cellsUpTo(6);
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    writeReport: () => Promise.resolve({ outcome: 'pass', message: '', costUsd: 0.3 }),
  });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ maxUsd: 1, concurrency: 3, cellsPerHistory: 2 });
    // The first one shows what the others may cost; after the third there is no room for a fourth.
    expect((await handle.result()).counts).toEqual({ pass: 3, fail: 0, error: 3, cancelled: 0 });
    await record('sweep-budget', handle);
  });
  expect(ranCells(stubs).sort()).toEqual(ids(cells.slice(0, 3)));
  expect(endOf(stubs)[0]).toMatchObject({ overBudget: { maxUsd: 1, spentUsd: 0.9 } });
});

it('goes through all pages of cells, and counts those that have a result instead of running them again', async () => {
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

it('a sweep with exactly full pages of cells ends', async () => {
  const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(100), () => 'pass') });
  await onBench(stubs, async ({ startSweep }) => {
    expect(await (await startSweep()).result()).toMatchObject({ status: 'completed', counts: { pass: 100 } });
  });
});

it('the progress names the open runs and their workflows, and the details show the same as a table', async () => {
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
        {
          cell: 'notes/mock/default/default/2',
          workflowId: `sweep/${name}/notes/mock/default/default/2/r4`,
          since: expect.any(Number) as number,
        },
        {
          cell: 'notes/mock/maker%2Fsmall/default/3',
          since: expect.any(Number) as number,
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

it('a run can be found in Temporal by its cell, with search attributes and a summary', async () => {
  const of = cell(2, { scenario: 'tidy notes', agent: 'codex', model: 'maker/small' });
  const stubs = stubActivities({ loadCells: pagesOf([of]) });
  await onBench(stubs, async ({ name, startSweep, runOf }) => {
    await (await startSweep()).result();
    const description = await runOf(of).describe();
    expect(attributesOf(description)).toEqual({
      SweepId: name,
      Scenario: 'tidy notes',
      Agent: 'codex',
      Model: 'maker/small',
      Variant: 'default',
      Rep: 2,
      Outcome: 'pass',
      CostUsd: 0.25,
    });
    expect(description.parentExecution?.workflowId).toBe(`sweep/${name}`);
    expect(await description.staticSummary()).toBe('tidy notes codex/maker/small #2');
  });
});
