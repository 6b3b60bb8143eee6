import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { progressOf, endOf, historiesOf } from '../workflows/sweeps.js';
import { useTemporal, type SweepHandle } from '../workflows/harness.js';
import { payloadSizes } from '../workflows/history.js';
import { cellsUpTo, pagesOf, stubActivities } from '../workflows/stub-activities.js';

/** LONG_CELLS=10000 takes a quarter of an hour on two cores: a workflow costs the server most of what a run costs it. */
const CELLS = Number(process.env['LONG_CELLS'] ?? '3000');
/** A query is also work for the workflow. */
const LOOK_MS = 500;
const CONCURRENCY = 64;
/** What the server suggests by default, and what a new history needs to take over. */
const MOST_EVENTS = 8000;
/** An answer of `loadCells`, with 100 cells, is the largest payload. */
const MOST_BYTES = 64 * 1024;

const onBench = useTemporal();

test(
  `a sweep of ${CELLS} cells uses its ${CONCURRENCY} slots, in histories of bounded size`,
  { timeout: 1_800_000 },
  async () => {
    const cells = cellsUpTo(CELLS);
    let working = 0;
    let most = 0;
    const stubs = stubActivities({
      loadCells: pagesOf(cells),
      prepareWorkspace: () => {
        working += 1;
        most = Math.max(most, working);
        return Promise.resolve({ unfit: null, steps: [], gates: [], evaluators: [] });
      },
      writeReport: () => {
        working -= 1;
        return Promise.resolve({ outcome: 'pass', message: '', costUsd: 0 });
      },
    });
    await onBench(stubs, async ({ client, startSweep }) => {
      const handle = await startSweep({ concurrency: CONCURRENCY });
      const newest = client.workflow.getHandle<never>(handle.workflowId) as unknown as SweepHandle;
      /** The largest number of slots seen in use at the same time, by history of the sweep. */
      const busiest = new Map<string, number>();
      const sweep = { isOver: false };
      const result = handle.result().finally(() => (sweep.isOver = true));
      while (!sweep.isOver) {
        const { runId } = await newest.describe();
        // A busy worker may not answer in time.
        const slots = (await progressOf(newest).catch(() => null))?.active.length ?? 0;
        busiest.set(runId, Math.max(busiest.get(runId) ?? 0, slots));
        await setTimeout(LOOK_MS);
      }
      expect(await result).toEqual({
        status: 'completed',
        counts: { pass: CELLS, fail: 0, error: 0, cancelled: 0 },
      });
      // The last history may begin with fewer cells than there are slots.
      for (const slots of [...busiest.values()].slice(0, -1)) expect(slots).toBe(CONCURRENCY);
      for (const { events, ...history } of await historiesOf(client, handle)) {
        expect(events?.length ?? 0).toBeLessThan(MOST_EVENTS);
        expect(Math.max(...payloadSizes({ events, ...history }))).toBeLessThan(MOST_BYTES);
      }
    });
    expect(most).toBeLessThanOrEqual(CONCURRENCY);
    expect(stubs.argsOf('prepareWorkspace')).toHaveLength(CELLS);
    expect(new Set(stubs.argsOf('prepareWorkspace').map(([run]) => run.cell.id)).size).toBe(CELLS);
    expect(endOf(stubs)).toHaveLength(1);
  },
);
