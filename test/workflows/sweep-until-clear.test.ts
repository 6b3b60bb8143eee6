import { expect, test } from 'vitest';
import { decidingActivities, pairedSides } from './decided-sweep.js';
import { useTemporal } from './harness.js';
import { record } from './history.js';
import { stubActivities } from './stub-activities.js';
import { endOf, historiesOf, progressOf, ranCells } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait
const cells = pairedSides(20);

it('releases pairs until the verdict is clear, and runs each cell once, through several histories', async () => {
  const stubs = stubActivities(
    decidingActivities(cells, ({ variant }) => (variant === 'head' ? 'fail' : 'pass')),
  );
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ untilClear: true, cellsPerHistory: 4 });
    const { status, counts } = await handle.result();
    expect(status).toBe('completed');
    expect(counts.pass).toBe(counts.fail);
    const { decision } = await progressOf(handle);
    expect(decision).toMatchObject({ verdict: 'worse', stopped: 'clear', runs: counts.pass + counts.fail });
    expect(decision?.runs).toBeLessThan(cells.length);
    const histories = await historiesOf(client, handle);
    expect(histories.length).toBeGreaterThan(1);
    for (const [index, history] of histories.slice(0, 2).entries())
      await record(`sweep-until-clear-continued-${index + 1}`, {
        fetchHistory: () => Promise.resolve(history),
      });
  });
  const ran = ranCells(stubs);
  expect(new Set(ran).size).toBe(ran.length);
  expect(endOf(stubs)).toHaveLength(1);
});

it('a sweep whose runs exceed the budget decides a last time', async () => {
  const stubs = stubActivities(
    decidingActivities(cells, ({ variant }) => (variant === 'head' ? 'fail' : 'pass')),
  );
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ untilClear: true, maxUsd: 0.9, concurrency: 1 });
    await handle.result();
    expect((await progressOf(handle)).decision).toMatchObject({ verdict: 'undecided', stopped: 'budget' });
    await record('sweep-until-clear-budget', handle);
  });
});

it('a side that only ends with errors ends the sweep', async () => {
  const stubs = stubActivities(
    decidingActivities(cells, ({ variant }) => (variant === 'head' ? 'error' : 'pass')),
  );
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ untilClear: true });
    await handle.result();
    expect((await progressOf(handle)).decision).toMatchObject({ verdict: 'not tested', stopped: 'errors' });
    await record('sweep-until-clear-errors', handle);
  });
});
