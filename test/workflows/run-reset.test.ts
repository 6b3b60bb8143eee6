import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { eventually, useTemporal } from './harness.js';
import { blockedAgents, cell, stubActivities } from './stub-activities.js';

const onBench = useTemporal();

it.each([
  { keepsFolder: true, folders: 1 },
  // Started by an older build.
  { keepsFolder: false, folders: 2 },
])(
  'a reset run has $folders folder(s) when keepsFolder is $keepsFolder',
  async ({ keepsFolder, folders }) => {
    const agents = blockedAgents();
    const stubs = stubActivities({ runAgent: agents.runAgent });
    await onBench(stubs, async ({ client, startRun }) => {
      const handle = await startRun(cell(), keepsFolder ? { keepsFolder } : {});
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
      await eventually(() =>
        expect(new Set(stubs.argsOf('prepareWorkspace').map(([run]) => run.run)).size).toBe(folders),
      );
      await eventually(() => expect(begun().length).toBeGreaterThan(1));
      expect(new Set(begun()).size).toBe(folders);
      const first = new Set(stubs.argsOf('runAgent').map(([run]) => run.firstRunId));
      expect([...first]).toEqual([runId]);
      expect((await handle.describe()).raw.workflowExecutionInfo?.firstRunId).toBe(runId);
      await handle.terminate('the test is over');
    });
  },
);
