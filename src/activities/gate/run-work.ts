import { doWork, type GateWork, isQuick, type WorkInput, type WorkResult } from '#gates';
import { runInThread } from '#host';

const PROGRAM = new URL('./work-program.js', import.meta.url);

/**
 * Performs a part of a gate check: in a thread if it may take long, because a worker that is busy for seconds would be
 * considered frozen. Returns null if it is not finished in time.
 */
export async function runWork<K extends keyof GateWork>(
  kind: K,
  input: WorkInput<K>,
  timeoutSecs: number,
  signal: AbortSignal,
): Promise<WorkResult<K> | null> {
  if (isQuick(input)) return doWork(kind, input);
  return runInThread(PROGRAM, { kind, input }, timeoutSecs, signal);
}
