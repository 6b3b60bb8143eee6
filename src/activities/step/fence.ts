import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { linkUnlessThere } from '../../platform/fs/write-file.js';
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
function ownNumber(folder: string, empty: string): number {
  const { isLocal, attempt, currentAttemptScheduledTimestampMs } = Context.current().info;
  return isLocal
    ? currentAttemptScheduledTimestampMs - Number.MAX_SAFE_INTEGER
    : resetsBefore(folder, empty) * PER_EXECUTION + attempt;
}

/** More attempts than any step has. */
const PER_EXECUTION = 1_000_000;

/**
 * How many executions of the workflow have performed steps here before this one: `execution.<that number>.<its run id>` is
 * among the fences.
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

/** What the names of a step's attempts begin with. */
const prefixOf = (step: string): string => step.replaceAll(' ', '-');

const folderOf = ({ state }: Pick<RunContext, 'state'>): string => join(state, 'fences');

/** The numbers of the attempts of a step that have begun. */
function numbersIn(folder: string, step: string): number[] {
  const own = prefixOf(step);
  const names = readdirSync(folder);
  const numbers = names
    .filter((name) => name.startsWith(`${own}.`))
    .map((name) => name.slice(own.length + 1));
  // Earlier builds kept a folder for each step.
  const before = names.includes(own) ? readdirSync(join(folder, own)) : [];
  return [...numbers, ...before].map(Number);
}

/** How many attempts of a step have begun. */
export function attemptsBegun(context: Pick<RunContext, 'state'>, step: string): number {
  const folder = folderOf(context);
  return existsSync(folder) ? numbersIn(folder, step).length : 0;
}

/** Every attempt's file is a link to this one: for a file system, that is much less work than to create each. */
function emptyFile(folder: string): string {
  const file = join(folder, 'begun');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, '', { mode: 0o600 });
  }
  return file;
}

// eslint-disable-next-line @typescript-eslint/require-await -- the calls take microseconds; errors are to come as rejections
export async function raiseFence(context: Pick<RunContext, 'state'>, step: string): Promise<Fence> {
  const folder = folderOf(context);
  const empty = emptyFile(folder);
  const own = ownNumber(folder, empty);
  linkUnlessThere(empty, join(folder, `${prefixOf(step)}.${own}`));
  const checkNow = (): void => {
    if (Math.max(...numbersIn(folder, step)) > own)
      throw ApplicationFailure.nonRetryable('a later attempt has taken over', 'Superseded');
  };
  checkNow();
  // eslint-disable-next-line @typescript-eslint/require-await -- as above
  return { check: async () => checkNow() };
}
