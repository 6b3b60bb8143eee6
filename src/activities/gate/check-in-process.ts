import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { GateWork, WorkInput, WorkResult } from '../../gates/gate.js';
import { doWork, isQuick } from '../../gates/work.js';

const PROGRAM = new URL('./work-program.js', import.meta.url);

/**
 * Performs a part of a gate check: in a thread if it may take long, because a worker that is busy for seconds would be
 * considered frozen. Returns null if it is not finished in time.
 */
export async function workApart<K extends keyof GateWork>(
  kind: K,
  input: WorkInput<K>,
  timeoutSecs: number,
  signal: AbortSignal,
): Promise<WorkResult<K> | null> {
  if (isQuick(input)) return doWork(kind, input);
  const timeout = AbortSignal.timeout(timeoutSecs * 1000);
  const thread = new Worker(PROGRAM, { workerData: { kind, input } });
  try {
    const [result] = (await once(thread, 'message', {
      signal: AbortSignal.any([timeout, signal]),
    })) as [WorkResult<K>];
    return result;
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return null;
    throw error;
  } finally {
    await thread.terminate();
  }
}
