import { readEngineState } from '../../src/platform/engine/engine-state.js';
import { projectState } from '../../src/platform/folders.js';
import { connect } from '../../src/platform/temporal/temporal-client.js';
import type { Small } from '../chaos/small-disks.js';
import { until } from '../commands/project.js';

/** The pending activity of the open run, and why its last attempt failed. */
export async function pendingFailure({ results, state }: Small): Promise<string> {
  const { folder } = projectState(results, state);
  const { address, taskQueue } = await until('an engine', () => readEngineState(folder));
  const client = await connect({ address, namespace: 'default', external: false });
  try {
    const query = `ExecutionStatus = "Running" AND WorkflowType = "runScenario" AND TaskQueue = "${taskQueue}"`;
    for await (const { workflowId } of client.workflow.list({ query })) {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      const [pending] = raw.pendingActivities ?? [];
      return `${pending?.activityType?.name ?? ''} ${pending?.lastFailure?.message ?? ''}`;
    }
    return '';
  } finally {
    await client.connection.close();
  }
}
