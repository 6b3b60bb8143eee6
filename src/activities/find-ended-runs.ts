import { Context } from '@temporalio/activity';
import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { beginningOf } from '../lib/format/truncate.js';
import { waitUntil } from '../platform/process/wait-until.js';
import type { Deps } from './step/deps.js';
import type { EndedRun, FindEndedInput, RunResult } from '../workflows/protocol.js';

const MESSAGE_LENGTH = 300;
const POLL_MS = 100;

/** Finds out which of these runs have closed, and how. Asks the server, because a signal could come from anyone. */
export const findEndedRuns =
  (deps: Pick<Deps, 'isOwnServer'>) =>
  async ({ runs, waitMs }: FindEndedInput): Promise<EndedRun[]> => {
    const ended = await Promise.all(runs.map((run) => endOf(deps, run, waitMs)));
    return ended.flatMap((run) => run ?? []);
  };

/** Returns how a run ended; null if it is still open after `waitMs`. */
async function endOf(
  { isOwnServer }: Pick<Deps, 'isOwnServer'>,
  { cell, workflowId }: FindEndedInput['runs'][number],
  waitMs: number,
): Promise<EndedRun | null> {
  const handle = Context.current().client.workflow.getHandle(workflowId);
  const isClosed = async (): Promise<true | null> =>
    (await handle.describe()).status.name === 'RUNNING' ? null : true;
  try {
    if ((await waitUntil(isClosed, waitMs, POLL_MS)) === null) return null;
    const result = (await handle.result()) as RunResult;
    return { cell, result, cancelled: false, message: '' };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError && (await isOwnServer()))
      return { cell, result: null, cancelled: false, message: 'the server no longer has its workflow' };
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const [known] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
    const { knownUsd } = (known ?? {}) as Pick<RunResult, 'knownUsd'>;
    return {
      cell,
      result: null,
      cancelled: cause instanceof CancelledFailure,
      message: beginningOf(cause?.message ?? error.message, MESSAGE_LENGTH),
      ...(knownUsd === undefined ? {} : { knownUsd }),
    };
  }
}
