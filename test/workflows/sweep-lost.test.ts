import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { Context } from '@temporalio/activity';
import { queryTroubles } from '../../src/client/follow/progress.js';
import { QUERIES, SIGNALS, type SweepProgress } from '../../src/protocol/index.js';
import { eventually, useTemporal } from './harness.js';
import { blockedAgents, brief, broken, cell, cellsUpTo, flaky, pagesOf, stubActivities } from './stub-activities.js';
import { endOf, progressOf, update } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

it('a terminated run frees its slot and is listed as lost', async () => {
  const cells = cellsUpTo(3);
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep, runOf }) => {
    const handle = await startSweep({ concurrency: 1 });
    await eventually(() => expect(agents.started).toHaveLength(1));
    await runOf(cell(1)).terminate('by hand');
    agents.releaseAll();
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 2, error: 1 } });
  });
  expect(endOf(stubs)[0]?.lost).toEqual([
    {
      cell: cells[0]?.id,
      message: expect.stringMatching(/^the run's workflow did not complete: .*terminated/i) as string,
      since: expect.any(Number) as number,
    },
  ]);
});

it('a run without a report is listed as lost with the reason, and the cost of its agent counts as spent', async () => {
  const stubs = stubActivities({
    loadCells: pagesOf([cell(1)]),
    runAgent: () => Promise.resolve(brief({ costUsd: 3 })),
    writeReport: () => Promise.reject(broken('no space left')),
  });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ maxUsd: 5 });
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { error: 1 } });
    expect(await handle.query<SweepProgress>(QUERIES.progress)).toMatchObject({ spentUsd: 3 });
  });
  const message = `the run's workflow did not complete: the report could not be written: no space left`;
  expect(endOf(stubs)[0]?.lost).toEqual([{ cell: cell(1).id, message, since: expect.any(Number) as number }]);
});

it('a plan that cannot be read fails the sweep', async () => {
  const stubs = stubActivities({ loadCells: () => Promise.reject(broken('plan.json cannot be read')) });
  await onBench(stubs, async ({ startSweep }) => {
    const failure: unknown = await (await startSweep()).result().catch((error: unknown) => error);
    expect(failure).toMatchObject({ cause: { cause: { message: 'plan.json cannot be read' } } });
  });
});

it('a plan that can no longer be read fails the sweep once its open runs have ended', async () => {
  const agents = blockedAgents();
  const cells = cellsUpTo(150);
  const stubs = stubActivities({
    loadCells: (wanted) =>
      wanted.offset === 0
        ? pagesOf(cells, ({ repetition }) => (repetition === 1 ? null : 'pass'))(wanted)
        : Promise.reject(broken('plan.json cannot be read')),
    runAgent: agents.runAgent,
  });
  await onBench(stubs, async ({ startSweep, runOf }) => {
    const handle = await startSweep();
    const failed = handle.result().catch((error: unknown) => error);
    await eventually(() => expect(stubs.argsOf('loadCells')).toHaveLength(2));
    await eventually(() => expect(agents.started).toHaveLength(1));
    agents.releaseAll();
    expect((await runOf(cell(1)).result()).outcome).toBe('pass');
    expect(await failed).toMatchObject({ cause: { cause: { message: 'plan.json cannot be read' } } });
  });
});

it('says what it cannot do once it has tried for minutes, and goes on as soon as it can', async () => {
  let isAway = true;
  const stubs = stubActivities({
    loadCells: (wanted) =>
      isAway
        ? // instead of the minutes that ten tries take
          Promise.reject(ApplicationFailure.create({ message: 'the share is away', nextRetryDelay: 1 }))
        : pagesOf(cellsUpTo(1))(wanted),
  });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep();
    const trouble = { what: 'read the plan', message: 'the share is away' };
    await eventually(async () => expect((await progressOf(handle)).troubles).toEqual([trouble]));
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('**cannot read the plan**, and tries again: the share is away');
    isAway = false;
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 1 } });
    expect(await progressOf(handle)).not.toHaveProperty('troubles');
  });
});

it('a check that hangs in a workflow task is made through the server, which says what fails; signals share one', async () => {
  const agents = blockedAgents();
  let isAway = true;
  const stubs = stubActivities({
    loadCells: pagesOf(cellsUpTo(1)),
    runAgent: agents.runAgent,
    verifyParked: ({ signals }) => {
      if (Context.current().info.isLocal) return Context.current().cancelled;
      return isAway ? Promise.reject(flaky('the key cannot be read')) : Promise.resolve(signals.map(() => 'wake'));
    },
  });
  await onBench(stubs, async ({ name, client, startSweep }) => {
    const handle = await startSweep({ proof: 'of the start', limits: { withinTaskMs: 100 } });
    await eventually(() => expect(agents.started).toHaveLength(1));
    const park = (nth: number): Promise<void> =>
      handle.signal(SIGNALS.parked, {
        cell: cell(1).id,
        parked: { nth, why: 'limit', until: Date.now() + 3600_000, provider: 'house' },
        proof: 'of the run',
      });
    await park(1);
    const trouble = { what: 'verify that runs wait for a provider', message: 'the key cannot be read' };
    await eventually(async () => expect((await progressOf(handle)).troubles).toEqual([trouble]));
    const said = 'cannot verify that runs wait for a provider, and tries again: the key cannot be read';
    expect(await queryTroubles({ client }, name)).toEqual([said]);
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain(`**cannot ${trouble.what}**, and tries again`);
    for (const nth of [2, 3, 4]) await park(nth);
    isAway = false;
    await eventually(async () => expect((await progressOf(handle)).parked).toMatchObject([{ nth: 4 }]));
    expect(await progressOf(handle)).not.toHaveProperty('troubles');
    await update(handle, 'cancel');
    await handle.result();
  });
  const checked = stubs.argsOf('verifyParked').map(([{ signals }]) => signals.map(({ nth }) => nth));
  expect(new Set(checked.map(String))).toEqual(new Set(['1', '2,3,4']));
});

it('the runs of a terminated sweep continue until the worker cancels them', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(2)), runAgent: agents.runAgent });
  await onBench(stubs, async ({ startSweep, runOf }) => {
    const handle = await startSweep();
    await eventually(() => expect(agents.started).toHaveLength(2));
    await handle.terminate();
    await runOf(cell(1)).cancel();
    agents.release(cell(2).id);
    await runOf(cell(1))
      .result()
      .catch(() => undefined);
    expect((await runOf(cell(1)).describe()).status.name).toBe('CANCELLED');
    expect((await runOf(cell(2)).result()).outcome).toBe('pass');
  });
});
