import { setTimeout as sleep } from 'node:timers/promises';
import { beginningOf, counted, describeEnd } from '#lib';
import type { HealthCheck } from '#scenario';
import type { LoadedRun } from '../run/context.js';

/**
 * Waits until the container of a task can be used, if the task or its step says how to tell. Returns why it cannot;
 * null if it can.
 * As in Docker, failures within the first `start_period_sec` do not count.
 */
export async function awaitHealth(
  context: LoadedRun,
  healthcheck: HealthCheck | undefined,
  signal: AbortSignal,
): Promise<string | null> {
  const { environment, handle } = context;
  if (healthcheck === undefined) return null;
  const {
    command,
    interval_sec,
    timeout_sec: timeoutSecs,
    start_period_sec,
    start_interval_sec,
    retries,
  } = healthcheck;
  const startedAt = performance.now();
  for (let failures = 0; ;) {
    const result = await environment.exec(handle, { command, env: {}, timeoutSecs, signal });
    if (result.exitCode === 0) return null;
    const isStarting = performance.now() - startedAt < start_period_sec * 1000;
    if (!isStarting) failures += 1;
    if (failures >= retries)
      return `the health check failed ${counted(retries, 'time')} (${describeEnd(result, timeoutSecs)}): ${beginningOf(context.redact(command), 200)}`;
    await sleep((isStarting ? start_interval_sec : interval_sec) * 1000, undefined, { signal });
  }
}
