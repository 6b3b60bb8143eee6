import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { RunContext } from './run-context.js';

/**
 * Keeps an attempt that was given up for lost, and wakes up later, from touching what its successor works on. Each
 * attempt leaves a file of its own, named by its number, so none can overwrite another's word. The run's folder is named
 * after the workflow's first execution: after a reset, where attempts are counted anew, numbers go on above those before.
 */
export interface Fence {
  /** Throws when a later attempt has begun. Called before whatever cannot be undone. */
  check: () => Promise<void>;
}

/**
 * A local activity begins with attempt 1 on each worker: the time when it was scheduled tells which one is later. Such
 * numbers are below those of the attempts that the server counts, which come after.
 */
function ownNumber(root: string): number {
  const { isLocal, attempt, currentAttemptScheduledTimestampMs } = Context.current().info;
  return isLocal
    ? currentAttemptScheduledTimestampMs - Number.MAX_SAFE_INTEGER
    : resetsBefore(root) * PER_EXECUTION + attempt;
}

/** More attempts than any step has. */
const PER_EXECUTION = 1_000_000;

/** How many executions of the workflow have performed steps here before this one. */
function resetsBefore(root: string): number {
  const file = join(root, 'executions');
  const own = Context.current().info.workflowExecution?.runId ?? '';
  const read = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  if (!read().includes(own)) appendFileSync(file, `${own}\n`, { mode: 0o600 });
  return read().indexOf(own);
}

const folderOf = ({ handle }: Pick<RunContext, 'handle'>, step: string): string =>
  join(handle.root, 'fences', step.replaceAll(' ', '-'));

/** How many attempts of a step have begun. */
export function attemptsBegun(context: Pick<RunContext, 'handle'>, step: string): number {
  const folder = folderOf(context, step);
  return existsSync(folder) ? readdirSync(folder).length : 0;
}

// eslint-disable-next-line @typescript-eslint/require-await -- the calls take microseconds; errors are to come as rejections
export async function raiseFence(context: Pick<RunContext, 'handle'>, step: string): Promise<Fence> {
  const { handle } = context;
  const folder = folderOf(context, step);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = ownNumber(handle.root);
  writeFileSync(join(folder, String(own)), '');
  const checkNow = (): void => {
    const latest = Math.max(...readdirSync(folder).map(Number));
    if (latest > own) throw ApplicationFailure.nonRetryable('a later attempt has taken over', 'Superseded');
  };
  checkNow();
  // eslint-disable-next-line @typescript-eslint/require-await -- as above
  return { check: async () => checkNow() };
}
