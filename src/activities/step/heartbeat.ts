import { ApplicationFailure, Context } from '@temporalio/activity';
import type { AgentHeartbeat, AgentProgress } from '#protocol';

/**
 * Each heartbeat is a write to the server's database. For an agent that runs for minutes, heartbeats are the main cost.
 */
const INTERVAL_MS = 15_000;
/** The shortest time between two heartbeats that say what the agent is doing. */
const PROGRESS_MS = 5000;
/** Where each heartbeat may be billed, steps have this heartbeat timeout or a longer one, and send three within it. */
const SPARSE_FROM_MS = 120_000;

/** Returns how often to send heartbeats, and how soon after news of the agent, ms. */
export const rhythmFor = (timeoutMs = 4 * INTERVAL_MS): { intervalMs: number; progressMs: number } =>
  timeoutMs < SPARSE_FROM_MS
    ? { intervalMs: Math.min(INTERVAL_MS, timeoutMs / 4), progressMs: PROGRESS_MS }
    : { intervalMs: timeoutMs / 3, progressMs: Infinity };

type OnProgress = (progress: AgentProgress) => void;

/** The steps that are heartbeating, each with the function that takes progress. */
const beating = new WeakMap<Context, OnProgress>();

/** Heartbeat functions of the steps that this worker performs now, by workflow id. Each step removes its own. */
const performed = new Map<string, Set<() => void>>();

/**
 * Sends heartbeats while `work` runs, so that a dead worker is noticed and a cancel arrives. The signal aborts for any
 * reason to stop; `work` must check `wasCancelled` before it ends what another attempt may adopt. The first heartbeat
 * is sent after an interval: most steps are over by then. `work` can pass what an agent is doing to `onProgress`.
 * Within `work`, this adds nothing.
 */
export async function heartbeating<T>(work: (signal: AbortSignal, onProgress: OnProgress) => Promise<T>): Promise<T> {
  const context = Context.current();
  const outer = beating.get(context);
  if (outer !== undefined) return work(context.cancellationSignal, outer);
  const { intervalMs, progressMs } = rhythmFor(context.info.heartbeatTimeoutMs);
  let details = context.info.heartbeatDetails as AgentHeartbeat | undefined;
  let reportedAt = -Infinity;
  let pending: NodeJS.Timeout | undefined;
  // A local activity has no heartbeats: the SDK keeps its workflow task alive.
  const beat = (): void => {
    // The details carry on what earlier attempts waited for (retry-policy.ts).
    if (!context.info.isLocal) context.heartbeat(details);
  };
  const report = (): void => {
    pending = undefined;
    reportedAt = performance.now();
    beat();
  };
  const onProgress: OnProgress = (agent) => {
    details = { ...details, agent };
    if (progressMs < intervalMs)
      pending ??= setTimeout(report, Math.max(0, reportedAt + progressMs - performance.now()));
  };
  const timer = setInterval(beat, intervalMs);
  beating.set(context, onProgress);
  const forget = remember(context.info.workflowExecution?.workflowId ?? '', beat);
  try {
    return await work(context.cancellationSignal, onProgress);
  } catch (error) {
    if (!isShuttingDown()) throw error;
    // The next worker retries it at once; the server's delay would grow with each attempt.
    throw ApplicationFailure.create({
      type: 'WorkerStopped',
      message: 'worker stopped',
      nextRetryDelay: '10 ms',
    });
  } finally {
    forget();
    beating.delete(context);
    clearInterval(timer);
    clearTimeout(pending);
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

/** True if this worker performs a step of that workflow. */
export const isPerformed = (workflowId: string): boolean => performed.has(workflowId);

/** Makes the steps of that workflow send a heartbeat now, so that they learn of a cancel at once. */
export function heartbeatNow(workflowId: string): void {
  for (const beat of performed.get(workflowId) ?? []) beat();
}

/** True if the run was cancelled, as opposed to a worker that shuts down or an attempt that was considered lost. */
export const wasCancelled = (): boolean => Context.current().cancellationDetails?.cancelRequested === true;

/** True if this worker is shutting down: the next one continues its steps. */
export const isShuttingDown = (): boolean => Context.current().cancellationDetails?.workerShutdown === true;
