import type { Client } from '@temporalio/client';

/** A code of gRPC. */
const UNIMPLEMENTED = 12;

/** @throws Error if the server does not support Worker Versioning, or has it switched off. If it does not answer, returns. */
export async function checkVersioning(client: Client, deploymentName: string): Promise<void> {
  const { namespace } = client.options;
  await client.workflowService
    .describeWorkerDeployment({ namespace, deploymentName })
    .catch((error: unknown) => {
      const { code, message } = error as { code?: number; message: string };
      if (code === UNIMPLEMENTED)
        throw new Error(
          `the Temporal server does not support Worker Versioning (${message}); hosts need server 1.28 or later`,
        );
    });
}
