import { ApplicationFailure, Context } from '@temporalio/activity';

/** Each is a write to the server's database: of an agent that runs for minutes, heartbeats are what costs. */
const INTERVAL_MS = 15_000;

/** Heartbeats of the steps that this worker performs, by the execution that they belong to. */
const performed = new Map<string, Set<() => void>>();

/**
 * Heartbeats for as long as `work` takes, so that a dead worker is noticed and a cancel arrives. The signal aborts for
 * every reason to stop; `work` must look at `wasCancelled` before it ends what another attempt may adopt. The first
 * heartbeat comes after a while: most steps are over by then.
 */
export async function heartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  // A local activity has none: the SDK keeps its workflow task alive.
  const beat = (): void => {
    // The details carry over what earlier attempts waited for (patient.ts).
    if (!context.info.isLocal) context.heartbeat(context.info.heartbeatDetails);
  };
  const timer = setInterval(beat, INTERVAL_MS);
  const forget = remember(context.info.workflowExecution?.workflowId ?? '', beat);
  try {
    return await work(context.cancellationSignal);
  } catch (error) {
    if (!isShuttingDown()) throw error;
    // To be tried again by the next worker at once; the server would wait longer after each attempt.
    throw ApplicationFailure.create({
      type: 'WorkerStopped',
      message: 'worker stopped',
      nextRetryDelay: '10 ms',
    });
  } finally {
    forget();
    clearInterval(timer);
  }
}

function remember(workflowId: string, beat: () => void): () => void {
  const beats = performed.get(workflowId) ?? new Set();
  performed.set(workflowId, beats.add(beat));
  return () => {
    beats.delete(beat);
    if (beats.size === 0) performed.delete(workflowId);
  };
}

/** Whether this worker performs a step of that workflow. */
export const isPerformed = (workflowId: string): boolean => performed.has(workflowId);

/** Steps of that workflow ask the server at once whether they are still wanted, and stop where they are not. */
export function heartbeatNow(workflowId: string): void {
  for (const beat of performed.get(workflowId) ?? []) beat();
}

/** Whether someone wants this run to end, as opposed to a worker that shuts down or an attempt given up for lost. */
export const wasCancelled = (): boolean => Context.current().cancellationDetails?.cancelRequested === true;

/** Whether this worker shuts down: what it leaves is taken up by the next one. */
export const isShuttingDown = (): boolean => Context.current().cancellationDetails?.workerShutdown === true;
