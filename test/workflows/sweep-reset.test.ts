import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { eventually, useTemporal } from './harness.js';
import { blockedAgents, cellsUpTo, pagesOf, stubActivities } from './stub-activities.js';
import { endOf, ids, ranCells } from './sweeps.js';

const onBench = useTemporal();

it('a sweep that is reset takes over its open runs, does not repeat those that have ended, and has one result for each cell', async () => {
  const cells = cellsUpTo(4);
  const agents = blockedAgents();
  const stubs = stubActivities({ loadCells: pagesOf(cells), runAgent: agents.runAgent });
  await onBench(stubs, async ({ client, startSweep }) => {
    const handle = await startSweep({ concurrency: 3 });
    await eventually(() => expect(agents.started).toHaveLength(3));
    agents.release(cells[0]?.id ?? '');
    await eventually(() => expect(agents.started).toHaveLength(4));
    const { runId } = await handle.describe();
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId: handle.workflowId, runId },
      reason: 'by a test',
      requestId: randomUUID(),
      ...({ workflowTaskFinishEventId: 4 } as object), // typed as a Long, which any number is taken for
    });
    const latest = client.workflow.getHandle(handle.workflowId);
    agents.releaseAll();
    expect(await latest.result()).toEqual({
      status: 'completed',
      counts: { pass: 4, fail: 0, error: 0, cancelled: 0 },
    });
  });
  expect(endOf(stubs)).toMatchObject([{ status: 'completed', lost: [] }]);
  expect(ranCells(stubs).sort()).toEqual(ids(cells));
});
