import { Context } from '@temporalio/activity';
import { expect, test } from 'vitest';
import type { AgentSummary } from '../../src/workflows/protocol.js';
import { useTemporal } from '../workflows/harness.js';
import { payloadSizes } from '../workflows/history.js';
import { brief, cellsUpTo, latch, pagesOf, stubActivities } from '../workflows/stub-activities.js';
import { endOf, historiesOf, ranCells } from '../workflows/sweeps.js';

/** LONG_CELLS=10000 takes a quarter of an hour on two cores: a workflow costs the server most of what a run costs it. */
const CELLS = Number(process.env['LONG_CELLS'] ?? '3000');
const CONCURRENCY = 64;
/** What the server suggests by default, and what a new history needs to take over. */
const MOST_EVENTS = 8000;
/** An answer of `loadCells`, with 100 cells, is the largest payload. */
const MOST_BYTES = 64 * 1024;

const BEAT_MS = 5000;

const onBench = useTemporal();

/** Agents that work until all slots are in use: then one of them ends. If a slot stayed free, the sweep would not end. */
function agentsThatFillSlots() {
  const working: (() => void)[] = [];
  let started = 0;
  let most = 0;
  return {
    most: () => most,
    runAgent: async (): Promise<AgentSummary> => {
      const done = latch();
      const context = Context.current();
      const beats = setInterval(() => context.heartbeat(), BEAT_MS);
      started += 1;
      working.push(done.open);
      most = Math.max(most, working.length);
      if (working.length === CONCURRENCY) working.shift()?.();
      if (started === CELLS) working.splice(0).forEach((end) => end());
      await done.opened.finally(() => clearInterval(beats));
      return brief();
    },
  };
}

test(
  `a sweep of ${CELLS} cells uses all of its ${CONCURRENCY} slots again and again, in histories of bounded size`,
  { timeout: 1_800_000 },
  async () => {
    const agents = agentsThatFillSlots();
    const stubs = stubActivities({ loadCells: pagesOf(cellsUpTo(CELLS)), runAgent: agents.runAgent });
    await onBench(stubs, async ({ client, startSweep }) => {
      const handle = await startSweep({ concurrency: CONCURRENCY });
      expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: CELLS } });
      for (const history of await historiesOf(client, handle)) {
        expect(history.events?.length).toBeLessThan(MOST_EVENTS);
        expect(Math.max(...payloadSizes(history))).toBeLessThan(MOST_BYTES);
      }
    });
    expect(agents.most()).toBe(CONCURRENCY);
    expect(new Set(ranCells(stubs)).size).toBe(CELLS);
    expect(ranCells(stubs)).toHaveLength(CELLS);
    expect(endOf(stubs)).toHaveLength(1);
  },
);
