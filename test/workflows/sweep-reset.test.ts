import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { UPDATES } from '../../src/protocol/index.js';
import { eventually, useTemporal, type SweepHandle } from './harness.js';
import { blockedAgents, brief, cell, cellsUpTo, pagesOf, stubActivities } from './stub-activities.js';
import { endOf, ids, progressOf, ranCells } from './sweeps.js';

const onBench = useTemporal();
const it = test.concurrent;
const HOUR_MS = 3_600_000;
/** RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL */
const SIGNAL = 1;

/** Resets a sweep to the end of one of its workflow tasks, by default the first. Returns the new execution. */
async function reset(
  client: Client,
  handle: SweepHandle,
  { taskEnd = 4, drop = [] }: { taskEnd?: number; drop?: number[] } = {},
): Promise<SweepHandle> {
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: handle.workflowId, runId: handle.firstExecutionRunId },
    reason: 'by a test',
    requestId: randomUUID(),
    resetReapplyExcludeTypes: drop,
    ...({ workflowTaskFinishEventId: taskEnd } as object), // typed as a Long, which any number is taken for
  });
  return client.workflow.getHandle<never>(handle.workflowId) as unknown as SweepHandle;
}

it('a sweep that is reset takes over its open runs, does not repeat those that have ended, and has one result for each cell', async () => {
  const cells = cellsUpTo(4);
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ concurrency: 3 });
    await eventually(() => expect(agents.started).toHaveLength(3));
    agents.release(cells[0]?.id ?? '');
    await eventually(() => expect(agents.started).toHaveLength(4));
    const latest = await reset(client, handle);
    agents.releaseAll();
    expect(await latest.result()).toEqual({
      status: 'completed',
      counts: { pass: 4, fail: 0, error: 0, cancelled: 0 },
    });
  });
  expect(endOf(stubs)).toMatchObject([{ status: 'completed', lost: [] }]);
  expect(ranCells(stubs).sort()).toEqual(ids(cells));
});

/** Activities of a sweep whose first cell waits for its provider until `serve` is called. */
function limitedStubs(cells: number) {
  let limited = true;
  const limit = { provider: 'house', again: { why: 'limit', at: Date.now() + HOUR_MS } } as const;
  const unserved = brief({
    ending: 'unable',
    completed: false,
    message: 'not served',
    costUsd: null,
    ...limit,
  });
  const stubs = stubActivities({
    loadCells: pagesOf(cellsUpTo(cells)),
    runAgent: ({ cell: { repetition } }) => Promise.resolve(repetition === 1 && limited ? unserved : brief()),
  });
  return { stubs, serve: () => (limited = false) };
}

const waitsForFirst = (handle: SweepHandle) =>
  eventually(async () =>
    expect(await progressOf(handle)).toMatchObject({
      parked: [{ cell: cell(1).id, message: 'not served' }],
      limits: [{ provider: 'house' }],
    }),
  );

it('a sweep wakes the run that waits, to whatever moment it is reset', async () => {
  const { stubs, serve } = limitedStubs(3);
  await onBench(stubs, async ({ client, startSweep }) => {
    const first = await startSweep({ concurrency: 1 });
    await waitsForFirst(first);
    const { events } = await first.fetchHistory();
    const taskEnds = (events ?? []).flatMap(({ eventId, workflowTaskCompletedEventAttributes: end }) =>
      end ? [Number(eventId)] : [],
    );
    for (const taskEnd of taskEnds) await waitsForFirst(await reset(client, first, { taskEnd }));
    // Of what the run has told the sweep, nothing is repeated.
    const latest = await reset(client, first, { drop: [SIGNAL] });
    await waitsForFirst(latest);
    serve();
    await latest.executeUpdate(UPDATES.goOn, { args: [{ at: Date.now(), proof: 'of a command' }] });
    expect(await latest.result()).toEqual({
      status: 'completed',
      counts: { pass: 3, fail: 0, error: 0, cancelled: 0 },
    });
  });
  expect(endOf(stubs)).toMatchObject([{ status: 'completed', lost: [] }]);
});
