import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

/** No lines about what is refused because a test wants it to be. */
const logger = new DefaultLogger('ERROR');

/** Performs activities as the workflow of that id calls them. */
export const inActivity = <R>(workflowId: string, perform: () => Promise<R>, client?: Client): Promise<R> =>
  new MockActivityEnvironment(
    { workflowExecution: { workflowId, runId: 'r' } },
    { logger, ...(client === undefined ? {} : { client }) },
  ).run(perform);

/** For activities of a worker whose server is its own. */
export const isOwnServer = (): Promise<boolean> => Promise.resolve(true);
