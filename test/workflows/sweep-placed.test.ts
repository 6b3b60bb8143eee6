import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { hostQueueOf, type PlaceInput, type RunPlace, type SweepProgress } from '../../src/protocol/index.js';
import { eventually, useTemporal } from './harness.js';
import { record } from './history.js';
import { blockedAgents, cell, cellsUpTo, pagesOf, stubActivities } from './stub-activities.js';
import { endOf, progressOf, update } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

const PLACED = { placed: true, lostSecs: 3 } as const;

/**
 * Places each run on a host of the sweep's queue, and records what was asked for. `dead`: hosts without signs of life.
 */
function createHosts(hostFor: (input: PlaceInput) => string, dead: readonly string[] = []) {
  const asked: PlaceInput[] = [];
  return {
    asked,
    placeCell: (input: PlaceInput): Promise<RunPlace> => {
      asked.push(input);
      const host = hostFor(input);
      return Promise.resolve({
        host,
        name: `${host}.example`,
        proof: `of ${host}`,
        queue: hostQueueOf(input.sweep, host), // a bench is named after its queue
      });
    },
    readSigns: ({ hosts }: { hosts: string[] }) =>
      Promise.resolve(Object.fromEntries(hosts.map((host) => [host, dead.includes(host) ? 0 : performance.now()]))),
  };
}

it('runs take place on the hosts that take them, with their proofs', async () => {
  const cells = cellsUpTo(3);
  const placing = createHosts(({ cell: { repetition } }) => `h${repetition}`);
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    placeCell: placing.placeCell,
    readSigns: placing.readSigns,
  });
  await onBench(
    stubs,
    async ({ name, startSweep, workOnHosts, client, runOf }) => {
      const handle = await startSweep({ ...PLACED, concurrency: 2 });
      await workOnHosts(['h1', 'h2', 'h3'], async () => {
        expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 3 } });
      });
      for (const one of cells) {
        const { taskQueue } = await client.workflow.getHandle(runOf(one).workflowId).describe();
        expect(taskQueue).toBe(hostQueueOf(name, `h${one.repetition}`));
      }
    },
    { idle: true },
  );
  expect(
    stubs
      .argsOf('runAgent')
      .map(([run]) => run.proof)
      .sort(),
  ).toEqual(['of h1', 'of h2', 'of h3']);
});

it('the runs of a host that dies are done again on another one, and a result that it had published counts', async () => {
  const cells = cellsUpTo(2);
  const placing = createHosts(({ incarnation }) => (incarnation === 1 ? 'dead' : 'alive'), ['dead']);
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    placeCell: placing.placeCell,
    readSigns: placing.readSigns,
    endLostRuns: ({ runs, host }) => {
      expect(host).toMatchObject({ id: 'dead', name: 'dead.example' });
      return Promise.resolve(
        runs.map(({ cell: { id, repetition } }) => ({
          cell: id,
          result: repetition === 1 ? null : { outcome: 'fail', message: 'published', costUsd: 2 },
        })),
      );
    },
  });
  await onBench(
    stubs,
    async ({ startSweep, workOnHosts }) => {
      const handle = await startSweep(PLACED);
      await workOnHosts(['alive'], async () => {
        expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 1, fail: 1 } });
        await record('sweep-with-lost-host', handle);
      });
    },
    { idle: true },
  );
  expect(stubs.argsOf('runAgent').map(([run]) => run)).toMatchObject([
    {
      cell: { repetition: 1 },
      workflowId: expect.stringMatching(/\/r1\.i2$/) as string,
      lostHosts: [{ id: 'dead', name: 'dead.example' }],
    },
  ]);
});

it('a run whose hosts die again and again ends as an error', async () => {
  const placing = createHosts(({ incarnation }) => `h${incarnation}`, ['h1', 'h2', 'h3']);
  const stubs = stubActivities({
    loadCells: pagesOf([cell(1)]),
    placeCell: placing.placeCell,
    readSigns: placing.readSigns,
    endLostRuns: ({ runs }) => Promise.resolve(runs.map(({ cell: { id } }) => ({ cell: id, result: null }))),
  });
  await onBench(
    stubs,
    async ({ startSweep, workOnHosts }) => {
      const handle = await startSweep({ ...PLACED, lostSecs: 0.6 });
      await workOnHosts([], async () => {
        expect(await handle.result()).toMatchObject({ counts: { error: 1 } });
      });
    },
    { idle: true },
  );
  expect(placing.asked.map(({ incarnation }) => incarnation)).toEqual([1, 2, 3]);
  expect(endOf(stubs)[0]?.lost).toMatchObject([{ message: expect.stringContaining('lost 3 times') as string }]);
});

it('a cell that no host can run ends as an error, with their reasons', async () => {
  const stubs = stubActivities({
    loadCells: pagesOf([cell(1)]),
    placeCell: () => Promise.reject(ApplicationFailure.nonRetryable('no host can run it (h1: no key)', 'NoHost')),
  });
  await onBench(
    stubs,
    async ({ startSweep, workOnHosts }) => {
      const handle = await startSweep(PLACED);
      await workOnHosts([], async () => {
        expect(await handle.result()).toMatchObject({ status: 'completed', counts: { error: 1 } });
      });
    },
    { idle: true },
  );
  expect(endOf(stubs)[0]?.lost).toMatchObject([
    { message: expect.stringContaining('no host can run it (h1: no key)') as string },
  ]);
});

it('a cancelled sweep stops looking for hosts, and one that continues as new looks again', async () => {
  let isFull = false;
  const placing = createHosts(() => 'h');
  const agents = blockedAgents();
  const cells = cellsUpTo(4);
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    placeCell: (input) =>
      isFull
        ? Promise.reject(ApplicationFailure.create({ message: 'full', nextRetryDelay: '50 ms' }))
        : ((isFull = true), placing.placeCell(input)),
    runAgent: agents.runAgent,
    readSigns: placing.readSigns,
  });
  await onBench(
    stubs,
    async ({ startSweep, workOnHosts, client }) => {
      const handle = await startSweep({ ...PLACED, cellsPerHistory: 1, concurrency: 2 });
      await workOnHosts(['h'], async () => {
        await eventually(async () => {
          const { runId } = await client.workflow.getHandle(handle.workflowId).describe();
          expect(runId).not.toBe(handle.firstExecutionRunId);
        });
        // One of the cells was looking for a host when the first history ended.
        const { active }: SweepProgress = await progressOf(handle);
        expect(active.map(({ host }) => host).sort()).toEqual(['h.example', null]);
        isFull = false;
        await eventually(() => expect(agents.started).toHaveLength(2));
        isFull = true;
        agents.releaseAll();
        await eventually(async () =>
          expect(await progressOf(handle)).toMatchObject({
            counts: { pass: 2 },
            active: [{ host: null }, { host: null }],
          }),
        );
        expect(await update(handle, 'cancel')).toBe('cancelled');
        expect(await handle.result()).toMatchObject({ status: 'cancelled' });
      });
    },
    { idle: true },
  );
});

it('a host that is lost in a cancelled sweep leaves its cells cancelled', async () => {
  const placing = createHosts(() => 'dead', ['dead']);
  const agents = blockedAgents();
  const stubs = stubActivities({
    loadCells: pagesOf([cell(1)]),
    runAgent: agents.runAgent,
    placeCell: placing.placeCell,
    readSigns: placing.readSigns,
    endLostRuns: ({ runs }) => Promise.resolve(runs.map(({ cell: { id } }) => ({ cell: id, result: null }))),
  });
  await onBench(
    stubs,
    async ({ startSweep, workOnHosts }) => {
      const handle = await startSweep({ ...PLACED, lostSecs: 1 });
      await workOnHosts([], async () => {
        await eventually(async () =>
          expect((await progressOf(handle)).active).toMatchObject([{ host: 'dead.example' }]),
        );
        await update(handle, 'cancel');
        expect(await handle.result()).toMatchObject({ status: 'cancelled', counts: { cancelled: 1 } });
      });
    },
    { idle: true },
  );
  expect(placing.asked).toHaveLength(1);
});

it('a paused sweep looks for no host, and looks again when it is resumed', async () => {
  let isFull = true;
  const placing = createHosts(() => 'h');
  const stubs = stubActivities({
    loadCells: pagesOf(cellsUpTo(2)),
    placeCell: (input) =>
      isFull
        ? Promise.reject(ApplicationFailure.create({ message: 'full', nextRetryDelay: '50 ms' }))
        : placing.placeCell(input),
    readSigns: placing.readSigns,
  });
  await onBench(
    stubs,
    async ({ startSweep, workOnHosts }) => {
      const handle = await startSweep(PLACED);
      await workOnHosts(['h'], async () => {
        await eventually(async () => expect((await progressOf(handle)).active).toHaveLength(2));
        expect(await update(handle, 'pause')).toBe('paused');
        await eventually(async () => expect((await progressOf(handle)).active).toEqual([]));
        isFull = false;
        expect(await update(handle, 'resume')).toBe('running');
        expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 2 } });
      });
    },
    { idle: true },
  );
});

it('a sweep that can no longer read its cells ends although a run has lost its host', async () => {
  const placing = createHosts(() => 'dead', ['dead']);
  const stubs = stubActivities({
    loadCells: ({ offset }) =>
      offset === 0
        ? Promise.resolve({ cells: [{ cell: cell(1), finished: null }], total: 500 })
        : Promise.reject(ApplicationFailure.nonRetryable('plan.json cannot be read')),
    placeCell: placing.placeCell,
    readSigns: placing.readSigns,
    endLostRuns: ({ runs }) => Promise.resolve(runs.map(({ cell: { id } }) => ({ cell: id, result: null }))),
  });
  await onBench(
    stubs,
    async ({ startSweep, workOnHosts }) => {
      const handle = await startSweep({ ...PLACED, lostSecs: 1 });
      await workOnHosts([], async () => {
        const failure: unknown = await handle.result().catch((error: unknown) => error);
        expect(failure).toMatchObject({ cause: { cause: { message: 'plan.json cannot be read' } } });
      });
    },
    { idle: true },
  );
});

it('a host is noticed as lost although no history is as long as that takes', async () => {
  const dead = createHosts(({ cell: { repetition } }) => (repetition === 1 ? 'dead' : 'alive'), ['dead']);
  const stubs = stubActivities({
    loadCells: pagesOf(cellsUpTo(60)),
    placeCell: (input) =>
      input.incarnation === 1
        ? dead.placeCell(input)
        : Promise.resolve({
            host: 'alive',
            name: 'alive',
            queue: hostQueueOf(input.sweep, 'alive'),
            proof: 'p',
          }),
    readSigns: dead.readSigns,
    endLostRuns: ({ runs }) => Promise.resolve(runs.map(({ cell: { id } }) => ({ cell: id, result: null }))),
  });
  await onBench(
    stubs,
    async ({ startSweep, workOnHosts }) => {
      const handle = await startSweep({ ...PLACED, lostSecs: 1.5, cellsPerHistory: 1, concurrency: 2 });
      await workOnHosts(['alive'], async () => {
        await eventually(() => expect(stubs.argsOf('endLostRuns')).toHaveLength(1));
        await handle.terminate();
      });
    },
    { idle: true },
  );
});
