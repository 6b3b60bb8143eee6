import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  claim,
  claimOf,
  closeOrder,
  remembered,
  supersede,
  verifyRunProof,
  verifySweepProof,
  whyClosed,
} from '#host';
import { createLruCache } from '#lib';
import { type RunRef, type SweepOrigin, sweepWorkflowId } from '#protocol';
import { ledgerOf, originOf } from '#store';
import type { Deps } from '../step/deps.js';

/** Stands for the order of a sweep that an older build started without a proof. */
const BEFORE = 'before';

/** Every step of every run is checked, and claims never change. */
const claims = remembered(() => createLruCache<boolean>(4096));

/** A sweep and the hash of its plan. */
interface Planned {
  sweep: string;
  planHash: string;
}

/**
 * Returns the id of the order by which a sweep was started; `BEFORE` for a sweep that was open when the key was
 * created.
 * @throws ApplicationFailure (non-retryable) if the command line did not start this execution
 */
async function verifySweep(
  deps: Deps,
  { sweep, planHash }: Planned,
  given: SweepOrigin | undefined,
): Promise<string> {
  const { key } = await originOf(deps);
  const facts = { sweep, planHash, order: given?.order ?? {} };
  const order = given === undefined ? null : verifySweepProof(key, facts, given.proof);
  if (order === null || given === undefined) return orderFromBefore(deps, { sweep, planHash });
  await claimOnce(
    deps,
    `sweep ${sweep}`,
    { sweep, order, workflowId: sweepWorkflowId(sweep) },
    given.execution,
  );
  return order;
}

/** Like `verifySweep`, for the activity that loads the cells; older orders of the sweep end with that. */
export async function verifyStart(
  deps: Deps,
  planned: Planned,
  given: SweepOrigin | undefined,
): Promise<string> {
  const order = await verifySweep(deps, planned, given);
  const { sweep } = planned;
  const ledger = await ledgerOf(deps);
  if ((await whyClosed(ledger, sweep, order)) !== null) throw refusal(`sweep ${sweep}`, ENDED);
  if (order === BEFORE) return order;
  await supersede(ledger, sweep, order);
  if (sweep in (await originOf(deps)).before) await closeOrder(ledger, sweep, BEFORE, 'superseded');
  return order;
}

/** Like `verifySweep`, for activities that place runs of the sweep, or end them. */
export async function verifyPlacing(
  deps: Deps,
  planned: Planned,
  given: SweepOrigin | undefined,
): Promise<string> {
  const order = await verifySweep(deps, planned, given);
  if ((await whyClosed(await ledgerOf(deps), planned.sweep, order)) !== null)
    throw refusal(`sweep ${planned.sweep}`, ENDED);
  return order;
}

/**
 * Like `verifySweep`, for the activity that writes the summary. Returns a function that closes the order; after that,
 * nothing more can begin by it.
 */
export async function verifyEnd(
  deps: Deps,
  planned: Planned,
  given: SweepOrigin | undefined,
): Promise<() => Promise<void>> {
  const order = await verifySweep(deps, planned, given);
  const { sweep } = planned;
  const ledger = await ledgerOf(deps);
  if ((await whyClosed(ledger, sweep, order)) === 'superseded')
    throw refusal(`sweep ${sweep}`, 'it has been restarted since');
  return () => closeOrder(ledger, sweep, order, 'finished');
}

/**
 * Checks that a run was started by a sweep that the command line started, and that this is its only execution. Returns
 * whether the run has a proof; runs of a sweep that was open when the key was created have none.
 * @throws ApplicationFailure (non-retryable) if it was not
 */
export async function verifyRun(deps: Deps, run: RunRef, planHash: string): Promise<{ proven: boolean }> {
  const { key } = await originOf(deps);
  const { sweep, cell, workflowId } = run;
  const order = verifyRunProof(key, { sweep, planHash, cell, workflowId }, run.proof ?? '');
  if (order === null) {
    await orderFromBefore(deps, { sweep, planHash }, run);
    return { proven: false };
  }
  await claimOnce(deps, `run ${workflowId}`, { sweep, order, workflowId }, `${run.firstRunId} ${run.run}`);
  return { proven: true };
}

/** Checks that the proof is that of the workflow that runs this activity, and that no other execution has used it. */
async function claimOnce(
  deps: Deps,
  what: string,
  { sweep, order, workflowId }: { sweep: string; order: string; workflowId: string },
  execution: string,
): Promise<void> {
  if ((currentWorkflowId() ?? workflowId) !== workflowId)
    throw refusal(what, 'the proof belongs to another workflow');
  const { stateFolder, isOwnServer } = deps;
  const note = claimOf(sweep, order, workflowId);
  await claims()(JSON.stringify([stateFolder, note, execution]), async () => {
    const ledger = await ledgerOf(deps);
    // What has begun under a closed order may be completed.
    if ((await whyClosed(ledger, sweep, order)) !== null && (await ledger.read(note)) === null)
      throw refusal(what, ENDED);
    const claimed = await claim(ledger, note, execution);
    if (claimed === execution) return true;
    const [runId = ''] = claimed.split(' ');
    if (!(await isForgotten(isOwnServer, workflowId, runId)))
      throw refusal(what, 'the proof was already used by another execution');
    await ledger.write(note, execution);
    return true;
  });
}

/**
 * Whether the server has lost an execution: after a power failure it may know less than the files do, and start the
 * execution again.
 */
export async function isForgotten(
  isOwnServer: Deps['isOwnServer'],
  workflowId: string,
  runId: string,
): Promise<boolean> {
  try {
    await Context.current().client.workflow.getHandle(workflowId, runId).describe();
    return false;
  } catch (error) {
    return error instanceof WorkflowNotFoundError && isOwnServer();
  }
}

const ENDED = 'its sweep has ended or been restarted';

/** Id of the workflow that this activity belongs to; null outside of an activity. */
function currentWorkflowId(): string | null {
  try {
    return Context.current().info.workflowExecution?.workflowId ?? null;
  } catch {
    return null;
  }
}

/** Sweeps that were open when the key was created continue without a proof until they end; no later sweep does. */
async function orderFromBefore(deps: Deps, { sweep, planHash }: Planned, run?: RunRef): Promise<string> {
  const what = run === undefined ? `sweep ${sweep}` : `run ${run.workflowId}`;
  const { before } = await originOf(deps);
  if (!Object.hasOwn(before, sweep))
    throw refusal(what, 'it was not started by the command line, or its plan has changed since');
  if (before[sweep] !== planHash) throw refusal(what, 'its plan has changed since');
  if (run !== undefined && (await whyClosed(await ledgerOf(deps), sweep, BEFORE)) !== null)
    throw refusal(what, ENDED);
  return BEFORE;
}

const refusal = (what: string, why: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `${what} is refused: ${why}; start it with llm-tool-test run, resume or retry`,
    'NotOurs',
  );
