import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { RunContext } from './run-context.js';

/**
 * Keeps an attempt that was given up for lost, and wakes up later, from touching what its successor works on. Each
 * attempt leaves a file of its own, named by its number, so none can overwrite another's word. The run's folder is named
 * after Temporal's run id, so numbers never start anew in it.
 */
export interface Fence {
  /** Throws when a later attempt has begun. Called before whatever cannot be undone. */
  check: () => Promise<void>;
}

/**
 * A local activity begins with attempt 1 on each worker: the time when it was scheduled tells which one is later. Such
 * numbers are below those of the attempts that the server counts, which come after.
 */
function ownNumber(): number {
  const { isLocal, attempt, currentAttemptScheduledTimestampMs } = Context.current().info;
  return isLocal ? currentAttemptScheduledTimestampMs - Number.MAX_SAFE_INTEGER : attempt;
}

// eslint-disable-next-line @typescript-eslint/require-await -- the calls take microseconds; errors are to come as rejections
export async function raiseFence({ handle }: RunContext, step: string): Promise<Fence> {
  const folder = join(handle.root, 'fences', step.replaceAll(' ', '-'));
  const own = ownNumber();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, String(own)), '');
  const checkNow = (): void => {
    const latest = Math.max(...readdirSync(folder).map(Number));
    if (latest > own) throw ApplicationFailure.nonRetryable('a later attempt has taken over', 'Superseded');
  };
  checkNow();
  // eslint-disable-next-line @typescript-eslint/require-await -- as above
  return { check: async () => checkNow() };
}
