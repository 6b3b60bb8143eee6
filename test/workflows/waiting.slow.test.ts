import { expect, test } from 'vitest';
import { backoffMs } from '../../src/workflows/provider-backoff.js';
import { QUERIES, type SweepProgress } from '../../src/protocol/index.js';
import { eventually, resultOf, useTemporal } from './harness.js';
import { record, summariesIn } from './history.js';
import { brief, cell, latch, pagesOf, stubActivities } from './stub-activities.js';
import { update } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

const HOUR_MS = 3600_000;
const refused = (why: 'busy' | 'limit', at: number | null) =>
  brief({
    ending: 'unable',
    completed: false,
    message: 'not served',
    costUsd: null,
    again: { why, at },
    provider: 'house',
  });

it('runs an agent again that its provider did not serve, and its new ending counts', async () => {
  const stubs = stubActivities({
    runAgent: (_run, nth) => Promise.resolve(nth === 2 ? brief() : refused('busy', null)),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell(1), { limits: { providerWaitMs: 50 } });
    expect((await handle.result()).outcome).toBe('pass');
    const history = await handle.fetchHistory();
    expect(summariesIn(history).slice(1, 3)).toEqual(['agent mock default', 'agent mock default, run 2']);
    expect(history.events?.some(({ timerStartedEventAttributes: timer }) => timer)).toBe(true);
  });
  expect(stubs.argsOf('runAgent').map(([, nth]) => nth)).toEqual([undefined, 2]);
});

it('a cancel ends the wait of a run, and the run is reported', async () => {
  const stubs = stubActivities({ runAgent: () => Promise.resolve(refused('limit', Date.now() + HOUR_MS)) });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell(1));
    await eventually(async () => {
      const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      expect(currentDetails).toMatch(/▶ \| wait \| until 20\S+: not served/);
    });
    await handle.cancel();
    expect((await resultOf(handle)).outcome).toBe('cancelled');
  });
  expect(stubs.argsOf('runAgent')).toHaveLength(1);
});

it('a limit that a run has hit holds back the other cells of the provider, and only these, until it is lifted', async () => {
  let limited = true;
  const gate = latch();
  // 1 and 3 take the two slots; then it would be 2's turn.
  const pages = [
    [1, 'house'],
    [3, 'other'],
    [2, 'house'],
    [4, 'other'],
  ].map(([repetition, provider]) => ({
    cell: cell(Number(repetition)),
    finished: null,
    provider: String(provider),
  }));
  const stubs = stubActivities({
    loadCells: ({ offset }) => Promise.resolve({ cells: pages.slice(offset), total: pages.length }),
    runAgent: async ({ cell: { repetition } }) => {
      if (repetition === 3) await gate.opened;
      return limited && repetition === 1 ? refused('limit', Date.now() + HOUR_MS) : brief();
    },
  });
  const ran = (): number[] => stubs.argsOf('runAgent').map(([run]) => run.cell.repetition);
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ concurrency: 2 });
    await eventually(async () => {
      const { limits } = await handle.query<SweepProgress>(QUERIES.progress);
      expect(limits).toMatchObject([{ provider: 'house' }]);
    });
    gate.open();
    await eventually(() => expect(ran()).toContain(4));
    expect(ran()).not.toContain(2);
    limited = false;
    await update(handle, 'goOn');
    expect((await handle.result()).counts.pass).toBe(4);
    expect((await handle.query<SweepProgress>(QUERIES.progress)).limits).toBeUndefined();
  });
});

it('a limit holds back the cells of its account, but not those of another account of the same provider', async () => {
  let limited = true;
  // 1 takes the only slot; then it would be 2's turn.
  const accounts = new Map([
    [1, 'house/key-1'],
    [2, 'house/key-1'],
    [3, 'house/login'],
    [4, 'house/login'],
  ]);
  const stubs = stubActivities({
    loadCells: async (wanted) => {
      const { total, cells } = await pagesOf([...accounts.keys()].map((repetition) => cell(repetition)))(wanted);
      const served = (repetition: number) => ({ provider: 'house', account: accounts.get(repetition) ?? '' });
      return { total, cells: cells.map((page) => ({ ...page, ...served(page.cell.repetition) })) };
    },
    runAgent: ({ cell: { repetition } }) =>
      Promise.resolve(
        limited && repetition === 1 ? { ...refused('limit', Date.now() + HOUR_MS), account: 'house/key-1' } : brief(),
      ),
  });
  const ran = (): number[] => stubs.argsOf('runAgent').map(([run]) => run.cell.repetition);
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ concurrency: 1 });
    const progress = () => handle.query<SweepProgress>(QUERIES.progress);
    await eventually(async () => expect((await progress()).counts.pass).toBe(2));
    expect(ran()).toEqual([1, 3, 4]);
    expect((await progress()).limits).toMatchObject([{ provider: 'house', account: 'house/key-1' }]);
    limited = false;
    await update(handle, 'goOn');
    expect((await handle.result()).counts.pass).toBe(4);
  });
});

it('a waiting run holds no slot, is shown as parked, and continues when it is woken and a slot is free', async () => {
  let limited = true;
  const stubs = stubActivities({
    loadCells: pagesOf([1, 2, 3].map((repetition) => cell(repetition))),
    runAgent: ({ cell: { repetition } }) =>
      Promise.resolve(repetition === 1 && limited ? refused('busy', null) : brief()),
  });
  const ran = (): number[] => stubs.argsOf('runAgent').map(([run]) => run.cell.repetition);
  await onBench(stubs, async ({ startSweep, runOf }) => {
    const handle = await startSweep({ concurrency: 1, limits: { providerWaitMs: 500 } });
    await eventually(async () => {
      const { parked, active } = await handle.query<SweepProgress>(QUERIES.progress);
      expect(parked).toMatchObject([{ cell: cell(1).id, why: 'busy', message: 'not served' }]);
      expect(active.map((run) => run.cell)).not.toContain(cell(1).id);
    });
    await eventually(() => expect(ran()).toEqual(expect.arrayContaining([2, 3])));
    limited = false;
    expect((await handle.result()).counts.pass).toBe(3);
    await record('run-parked', runOf(cell(1)));
    await record('sweep-with-parked-run', handle);
  });
  expect(ran().filter((repetition) => repetition === 1).length).toBeGreaterThanOrEqual(2);
});

it('a paused sweep wakes no run', async () => {
  const stubs = stubActivities({
    loadCells: pagesOf([cell(1)]),
    runAgent: (_run, nth) => Promise.resolve(nth === 2 ? brief() : refused('limit', Date.now() + HOUR_MS)),
  });
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep();
    const parked = async () => (await handle.query<SweepProgress>(QUERIES.progress)).parked;
    await eventually(async () => expect(await parked()).toHaveLength(1));
    await update(handle, 'pause');
    await update(handle, 'goOn');
    expect(await parked()).toHaveLength(1);
    await update(handle, 'resume');
    expect((await handle.result()).counts.pass).toBe(1);
  });
  expect(stubs.argsOf('runAgent').map(([, nth]) => nth)).toEqual([undefined, 2]);
});

test('says how long to wait before an agent is run again', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const busy = (nth: number, at: number | null = null) => backoffMs({ why: 'busy', at }, nth, now);
  expect([1, 2, 3].map((nth) => busy(nth))).toEqual([5000, 10_000, 20_000]);
  expect(busy(7)).toBe(300_000);
  expect(busy(8)).toBeNull();
  expect(busy(1, now + 42_000)).toBe(42_000);
  expect(busy(1, now - 1)).toBe(5000);
  const limit = (nth: number, at: number | null) => backoffMs({ why: 'limit', at }, nth, now);
  expect(limit(1, now + 5 * HOUR_MS)).toBe(5 * HOUR_MS + 5000);
  expect(limit(1, null)).toBe(15 * 60_000);
  expect(limit(1, now + 9 * 24 * HOUR_MS)).toBeNull();
  expect(limit(50, null)).toBeNull();
});
