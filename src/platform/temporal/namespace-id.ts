import type { Client } from '@temporalio/client';

/**
 * Id of the namespace on the server that answers. Each database has its own, so it tells our server from another one that
 * has taken its port.
 */
export async function namespaceId(client: Client): Promise<string> {
  const { namespace } = client.options;
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  return namespaceInfo?.id ?? '';
}
