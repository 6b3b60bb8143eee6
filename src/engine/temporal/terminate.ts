import { WorkflowNotFoundError, type Client } from '@temporalio/client';

/** Terminates a workflow, unless it has closed. */
export async function terminate(client: Client, workflowId: string, reason: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate(reason);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
