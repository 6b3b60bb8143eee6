import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { linkUnlessThere } from '#host';
import type { RunIdentity } from '../run/context.js';

/**
 * Prevents an attempt that was considered lost, and continues later, from touching what its successor works on. Each
 * attempt leaves its own file, named by its number, so none can overwrite another's. The run's folder is named after
 * the workflow's first execution. After a reset Temporal counts attempts from 1 again; their numbers continue above
 * those before.
 */
export interface Fence {
  /**
   * Throws if a later attempt has begun or, with the signal of this one, if it is cancelled. Called before anything
   * that cannot be undone.
   */
  check: (signal?: AbortSignal) => Promise<void>;
}

/**
 * Number of this attempt. A local activity begins with attempt 1 on each worker, so the time when it was scheduled
 * determines which one is later. Its numbers are below those of attempts that the server counts, which come after.
 */
function ownNumber(folder: string, empty: string): number {
  const { isLocal, attempt, currentAttemptScheduledTimestampMs } = Context.current().info;
  return isLocal
    ? currentAttemptScheduledTimestampMs - Number.MAX_SAFE_INTEGER
    : resetsBefore(folder, empty) * PER_EXECUTION + attempt;
}

/** More attempts than any step has. */
const PER_EXECUTION = 1_000_000;

/**
 * Counts the executions of the workflow that performed steps here before this one. Each leaves a file `execution.<that
 * number>.<its run id>` among the fences.
 */
function resetsBefore(folder: string, empty: string): number {
  const own = Context.current().info.workflowExecution?.runId ?? '';
  const executions = readdirSync(folder).flatMap((name) => {
    const [, number, runId] = /^execution\.(\d+)\.(.*)$/.exec(name) ?? [];
    return runId === undefined ? [] : [{ number: Number(number), runId }];
  });
  const known = executions.find(({ runId }) => runId === own)?.number;
  if (known !== undefined) return known;
  linkUnlessThere(empty, join(folder, `execution.${executions.length}.${own}`));
  return executions.length;
}

/** Prefix of the file names of a step's attempts. */
const prefixOf = (step: string): string => step.replaceAll(' ', '-');

const folderOf = ({ state }: Pick<RunIdentity, 'state'>): string => join(state, 'fences');

/** The numbers of the attempts of a step that have begun. */
function numbersIn(folder: string, step: string): number[] {
  const own = prefixOf(step);
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${own}.`))
    .map((name) => Number(name.slice(own.length + 1)));
}

/** Counts the attempts of a step that have begun. */
export function attemptsBegun(context: Pick<RunIdentity, 'state'>, step: string): number {
  const folder = folderOf(context);
  return existsSync(folder) ? numbersIn(folder, step).length : 0;
}

/** Every attempt's file is a hard link to this one, which is much less work for a file system than creating files. */
function emptyFile(folder: string): string {
  const file = join(folder, 'begun');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, '', { mode: 0o600 });
  }
  return file;
}

/** Registers this attempt of a step. @throws ApplicationFailure (non-retryable) if a later attempt has begun */
// eslint-disable-next-line @typescript-eslint/require-await -- takes microseconds; errors must be rejections
export async function raiseFence(context: Pick<RunIdentity, 'state'>, step: string): Promise<Fence> {
  const folder = folderOf(context);
  const empty = emptyFile(folder);
  const own = ownNumber(folder, empty);
  linkUnlessThere(empty, join(folder, `${prefixOf(step)}.${own}`));
  const checkNow = (signal?: AbortSignal): void => {
    signal?.throwIfAborted();
    if (Math.max(...numbersIn(folder, step)) > own)
      throw ApplicationFailure.nonRetryable('a later attempt has taken over', 'Superseded');
  };
  checkNow();
  // eslint-disable-next-line @typescript-eslint/require-await -- as above
  return { check: async (signal) => checkNow(signal) };
}
