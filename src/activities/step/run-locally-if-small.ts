import { Context } from '@temporalio/activity';

/**
 * Performs a step. Returns null without performing it if this is a local activity and the step is too much for a
 * workflow task; the workflow then runs it as a regular activity.
 */
export const runLocallyIfSmall = <R>(isQuick: () => boolean, perform: () => Promise<R>): Promise<R | null> =>
  Context.current().info.isLocal && !isQuick() ? Promise.resolve(null) : perform();
