import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { eventually, useTemporal } from './harness.js';
import { blockedAgents, cell, stubActivities } from './stub-activities.js';

const onBench = useTemporal();

it('a reset run continues in its folder', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({ runAgent: agents.runAgent });
  await onBench(stubs, async ({ client, startRun }) => {
    const handle = await startRun(cell());
    const begun = (): string[] => stubs.argsOf('runAgent').map(([run]) => run.run);
    await eventually(() => expect(begun()).toHaveLength(1));
    const { namespace } = client.options;
    const { runId } = await handle.describe();
    const { workflowId } = handle;
    await client.workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId, runId },
      reason: 'by a test',
      requestId: randomUUID(),
      ...({ workflowTaskFinishEventId: 4 } as object), // typed as a Long, which any number is taken for
    });
    await eventually(() => expect(new Set(stubs.argsOf('prepareWorkspace').map(([run]) => run.run)).size).toBe(1));
    await eventually(() => expect(begun().length).toBeGreaterThan(1));
    expect(new Set(begun()).size).toBe(1);
    const first = new Set(stubs.argsOf('runAgent').map(([run]) => run.firstRunId));
    expect([...first]).toEqual([runId]);
    expect((await handle.describe()).raw.workflowExecutionInfo?.firstRunId).toBe(runId);
    await handle.terminate('the test is over');
  });
});
