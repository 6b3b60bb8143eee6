import { Context } from '@temporalio/activity';

const INTERVAL_MS = 2000;

/**
 * Heartbeats for as long as `work` takes, so that a dead worker is noticed and a cancel arrives. The signal aborts for
 * every reason to stop; `work` must look at `wasCancelled` before it ends what another attempt may adopt. The first
 * heartbeat comes after a while: each is a write to the server's database, and most steps are over by then.
 */
export async function heartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  // A local activity has none: the SDK keeps its workflow task alive.
  const timer = setInterval(() => {
    if (!context.info.isLocal) context.heartbeat();
  }, INTERVAL_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/** Whether someone wants this run to end, as opposed to a worker that shuts down or an attempt given up for lost. */
export const wasCancelled = (): boolean => Context.current().cancellationDetails?.cancelRequested === true;
