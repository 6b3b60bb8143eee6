import { expect, test } from 'vitest';
import { decidingActivities, pairedSides } from './decided-sweep.js';
import { attributesOf, useTemporal } from './harness.js';
import { record } from './history.js';
import { stubActivities } from './stub-activities.js';
import { endOf, historiesOf, progressOf, ranCells } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait
const cells = pairedSides(20);

it('releases pairs until the verdict is clear, and runs each cell once, through several histories', async () => {
  const stubs = stubActivities(decidingActivities(cells, ({ variant }) => (variant === 'head' ? 'fail' : 'pass')));
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ untilClear: true, cellsPerHistory: 4 });
    const { status, counts } = await handle.result();
    expect(status).toBe('completed');
    expect(counts.pass).toBe(counts.fail);
    const { decision } = await progressOf(handle);
    expect(decision).toMatchObject({ verdict: 'worse', stopped: 'clear', runs: counts.pass + counts.fail });
    expect(decision?.runs).toBeLessThan(cells.length);
    // Lists of workflows and closed workflows show this, when nobody answers queries.
    const described = await handle.describe();
    expect(described.memo).toMatchObject({
      decision: expect.stringMatching(
        /^head is worse than base: pass rate -100 points \(between -\d+ and -?\d+\)$/,
      ) as string,
      progress: expect.stringContaining('(') as string,
    });
    expect(attributesOf(described)).toMatchObject({ Outcome: 'worse' });
    const histories = await historiesOf(client, handle);
    expect(histories.length).toBeGreaterThan(1);
  });
  const ran = ranCells(stubs);
  expect(new Set(ran).size).toBe(ran.length);
  expect(endOf(stubs)).toHaveLength(1);
});

it('a sweep whose runs exceed the budget decides a last time', async () => {
  const stubs = stubActivities(decidingActivities(cells, ({ variant }) => (variant === 'head' ? 'fail' : 'pass')));
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ untilClear: true, maxUsd: 0.9, concurrency: 1 });
    await handle.result();
    expect((await progressOf(handle)).decision).toMatchObject({ verdict: 'undecided', stopped: 'budget' });
  });
});

it('a side that only ends with errors ends the sweep', async () => {
  const stubs = stubActivities(decidingActivities(cells, ({ variant }) => (variant === 'head' ? 'error' : 'pass')));
  await onBench(stubs, async ({ startSweep }) => {
    const handle = await startSweep({ untilClear: true });
    await handle.result();
    expect((await progressOf(handle)).decision).toMatchObject({ verdict: 'not tested', stopped: 'errors' });
  });
});

it('runs a cell again whose run ended with an error, in a workflow of its own, also in a later history', async () => {
  const stubs = stubActivities(
    decidingActivities(cells, ({ variant, repetition }, nth) =>
      variant === 'head' && repetition % 2 === 1 && nth < 3 ? 'error' : variant === 'head' ? 'fail' : 'pass',
    ),
  );
  await onBench(stubs, async ({ client, name, startSweep }) => {
    const handle = await startSweep({ untilClear: true, cellsPerHistory: 3 });
    const { counts } = await handle.result();
    const { decision } = await progressOf(handle);
    // The verdict has to hold even if the first runs of head had passed.
    expect(decision).toMatchObject({ verdict: 'worse', stopped: 'clear', pairs_left_out: 0 });
    expect(decision?.runs).toBe(counts.pass + counts.fail);
    expect(counts.error).toBe(0);
    const ran = ranCells(stubs);
    expect(ran).toHaveLength((decision?.runs ?? 0) + (decision?.runs_again ?? 0));
    expect(ran.filter((id) => id === cells[1]?.id)).toHaveLength(3);
    const outcomeOf = async (suffix: string): Promise<unknown> => {
      const run = await client.workflow.getHandle(`sweep/${name}/${cells[1]?.id ?? ''}/${suffix}`).describe();
      return attributesOf(run)['Outcome'];
    };
    expect(await Promise.all(['r1', 'r1.redo1', 'r1.redo2'].map(outcomeOf))).toEqual([...['error', 'error', 'fail']]);
    const histories = await historiesOf(client, handle);
    expect(histories.length).toBeGreaterThan(2);
    for (const [index, history] of histories.slice(0, 2).entries())
      await record(`sweep-until-clear-${index + 1}`, { fetchHistory: () => Promise.resolve(history) });
  });
});
