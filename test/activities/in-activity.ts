import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

/** Suppresses log lines about what is refused on purpose. */
const logger = new DefaultLogger('ERROR');

/** Performs activities as called by the workflow with this id. */
export const inActivity = <R>(workflowId: string, perform: () => Promise<R>, client?: Client): Promise<R> =>
  new MockActivityEnvironment(
    { workflowExecution: { workflowId, runId: 'r' } },
    { logger, ...(client === undefined ? {} : { client }) },
  ).run(perform);

/** For activities of a worker with a server of its own. */
export const isOwnServer = (): Promise<boolean> => Promise.resolve(true);
