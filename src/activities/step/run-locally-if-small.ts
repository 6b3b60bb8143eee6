import { Context } from '@temporalio/activity';

/**
 * Performs a step, unless it is to be performed within a workflow task and is too much for one: then null, and the workflow
 * has it performed by way of the server.
 */
export const runLocallyIfSmall = <R>(isQuick: () => boolean, perform: () => Promise<R>): Promise<R | null> =>
  Context.current().info.isLocal && !isQuick() ? Promise.resolve(null) : perform();
