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
  closedReason,
} from '#host';
import { createLruCache } from '#lib';
import { type RunRef, type SweepOrigin, sweepWorkflowId } from '#protocol';
import { ledgerOf, originKey } from '#store';
import type { Deps } from '../step/deps.js';

/** Every step of every run is checked, and claims never change. */
const claims = remembered(() => createLruCache<boolean>(4096));

/** A sweep and the hash of its plan. */
interface Planned {
  sweep: string;
  planHash: string;
}

/**
 * Returns the id of the order by which a sweep was started.
 * @throws ApplicationFailure (non-retryable) if the command line did not start this execution
 */
async function verifySweep(deps: Deps, { sweep, planHash }: Planned, given: SweepOrigin): Promise<string> {
  const facts = { sweep, planHash, order: given.order };
  const order = verifySweepProof(await originKey(deps), facts, given.proof);
  if (order === null) throw refusal(`sweep ${sweep}`, NOT_STARTED);
  await claimOnce(deps, `sweep ${sweep}`, { sweep, order, workflowId: sweepWorkflowId(sweep) }, given.execution);
  return order;
}

/** Like `verifySweep`, for the activity that loads the cells; older orders of the sweep end with that. */
export async function verifyStart(deps: Deps, planned: Planned, given: SweepOrigin): Promise<string> {
  const order = await verifySweep(deps, planned, given);
  const { sweep } = planned;
  const ledger = await ledgerOf(deps);
  if ((await closedReason(ledger, sweep, order)) !== null) throw refusal(`sweep ${sweep}`, ENDED);
  await supersede(ledger, sweep, order);
  return order;
}

/** Like `verifySweep`, for activities that place runs of the sweep, or end them. */
export async function verifyPlacing(deps: Deps, planned: Planned, given: SweepOrigin): Promise<string> {
  const order = await verifySweep(deps, planned, given);
  if ((await closedReason(await ledgerOf(deps), planned.sweep, order)) !== null)
    throw refusal(`sweep ${planned.sweep}`, ENDED);
  return order;
}

/**
 * Like `verifySweep`, for the activity that writes the summary. Returns a function that closes the order; after that,
 * nothing more can begin by it.
 */
export async function verifyEnd(deps: Deps, planned: Planned, given: SweepOrigin): Promise<() => Promise<void>> {
  const order = await verifySweep(deps, planned, given);
  const { sweep } = planned;
  const ledger = await ledgerOf(deps);
  if ((await closedReason(ledger, sweep, order)) === 'superseded')
    throw refusal(`sweep ${sweep}`, 'it has been restarted since');
  return () => closeOrder(ledger, sweep, order, 'finished');
}

/**
 * Checks that a run was started by a sweep that the command line started, and that this is its only execution.
 * @throws ApplicationFailure (non-retryable) if it was not
 */
export async function verifyRun(deps: Deps, run: RunRef, planHash: string): Promise<void> {
  const { sweep, cell, workflowId, proof } = run;
  const order = verifyRunProof(await originKey(deps), { sweep, planHash, cell, workflowId }, proof);
  if (order === null) throw refusal(`run ${workflowId}`, NOT_STARTED);
  await claimOnce(deps, `run ${workflowId}`, { sweep, order, workflowId }, `${run.firstRunId} ${run.run}`);
}

/** Checks that the proof is that of the workflow that runs this activity, and that no other execution has used it. */
async function claimOnce(
  deps: Deps,
  what: string,
  { sweep, order, workflowId }: { sweep: string; order: string; workflowId: string },
  execution: string,
): Promise<void> {
  if ((currentWorkflowId() ?? workflowId) !== workflowId) throw refusal(what, 'the proof belongs to another workflow');
  const { stateFolder, isOwnServer } = deps;
  const note = claimOf(sweep, order, workflowId);
  await claims()(JSON.stringify([stateFolder, note, execution]), async () => {
    const ledger = await ledgerOf(deps);
    // Anything begun under a closed order may be completed.
    if ((await closedReason(ledger, sweep, order)) !== null && (await ledger.read(note)) === null)
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
 * True if the server has lost an execution: after a power failure it may know less than the files do, and start the
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

const NOT_STARTED = 'it was not started by the command line, or its plan has changed since';
const ENDED = 'its sweep has ended or been restarted';

/** Id of the workflow that this activity belongs to; null outside of an activity. */
function currentWorkflowId(): string | null {
  try {
    return Context.current().info.workflowExecution?.workflowId ?? null;
  } catch {
    return null;
  }
}

const refusal = (what: string, why: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `${what} is refused: ${why}; start it with llm-tool-test run, resume or retry`,
    'NotOurs',
  );
