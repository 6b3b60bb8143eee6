import { readEngineState } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { connect } from '../../src/engine/temporal/temporal-client.js';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Small } from '../chaos/small-disks.js';
import { until } from '../commands/project.js';

/** The server's description of the open run; null if none is open. */
async function openRun({ results, state }: Small): Promise<WorkflowExecutionDescription['raw'] | null> {
  const { folder } = projectState(results, state);
  const { address, taskQueue } = await until('an engine', () => readEngineState(folder));
  const client = await connect({ address, namespace: 'default', external: false });
  try {
    const query = `ExecutionStatus = "Running" AND WorkflowType = "runScenario" AND TaskQueue = "${taskQueue}"`;
    for await (const { workflowId } of client.workflow.list({ query }))
      return (await client.workflow.getHandle(workflowId).describe()).raw;
    return null;
  } finally {
    await client.connection.close();
  }
}

/** The pending activity of the open run, and why its last attempt failed; '' if no run is open. */
export async function pendingFailure(one: Small): Promise<string> {
  const run = await openRun(one);
  if (run === null) return '';
  const [pending] = run.pendingActivities ?? [];
  return `${pending?.activityType?.name ?? ''} ${pending?.lastFailure?.message ?? ''}`;
}

/** True if the open run has been asked to cancel, or has ended. */
export async function isCancelled(one: Small): Promise<boolean> {
  const run = await openRun(one);
  return run === null || run.workflowExtendedInfo?.cancelRequested === true;
}
