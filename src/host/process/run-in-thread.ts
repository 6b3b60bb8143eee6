import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Runs a program in a thread and returns its message, because work that may take long would block this one. Returns
 * null if there is none in time.
 *
 * @throws the signal's reason if it aborts, or the error of the program
 */
export async function runInThread<T>(
  program: URL,
  workerData: unknown,
  limitSecs: number,
  signal: AbortSignal,
): Promise<T | null> {
  const timeout = AbortSignal.timeout(limitSecs * 1000);
  const thread = new Worker(program, { workerData });
  try {
    const [message] = (await once(thread, 'message', { signal: AbortSignal.any([timeout, signal]) })) as [T];
    return message;
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return null;
    throw error;
  } finally {
    await thread.terminate();
  }
}
