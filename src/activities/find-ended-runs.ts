import { Context } from '@temporalio/activity';
import { WorkflowFailedError, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, defineSearchAttributeKey } from '@temporalio/common';
import { waitUntil } from '#host';
import { beginningOf, defined, SEARCH_ATTRIBUTES } from '#lib';
import { type EndedRun, type FindEndedInput, type RunResult, runResultIn } from '#protocol';
import type { Deps } from './step/deps.js';

const MESSAGE_LENGTH = 300;
const POLL_MS = 100;

const COST_USD = defineSearchAttributeKey('CostUsd', SEARCH_ATTRIBUTES.CostUsd);

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
    const result = runResultIn(error);
    if (result !== null) return { cell, result, cancelled: false, message: '' };
    const cancelled = cause instanceof CancelledFailure;
    const knownUsd = cancelled ? await notedCost(handle) : costInFailure(cause);
    return {
      cell,
      result: null,
      cancelled,
      message: beginningOf(cause?.message ?? error.message, MESSAGE_LENGTH),
      ...defined({ knownUsd }),
    };
  }
}

/** Cost of the agent of a run that could not write its report. */
function costInFailure(cause: unknown): number | undefined {
  const [known] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  return (known as Pick<RunResult, 'knownUsd'> | undefined)?.knownUsd;
}

/** Cost of a run that was cancelled. Such a workflow closes without a result, but has noted its cost before. */
async function notedCost(handle: WorkflowHandle): Promise<number | undefined> {
  const { typedSearchAttributes } = await handle.describe();
  return typedSearchAttributes.get(COST_USD);
}
