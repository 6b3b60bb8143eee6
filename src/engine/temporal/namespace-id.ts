import type { Client } from '@temporalio/client';

/**
 * Returns the id of the namespace on the server that answers. Each database has its own id, so it distinguishes our
 * server from another one that has taken its port.
 */
export async function namespaceId(client: Client): Promise<string> {
  const { namespace } = client.options;
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  return namespaceInfo?.id ?? '';
}
