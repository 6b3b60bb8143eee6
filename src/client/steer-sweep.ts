import { bringResults } from './follow/bring-results.js';
import { startNextRoundIfClosed, type RoundInputs } from './next-round.js';
import { noteAction } from './note-action.js';
import { passNewValues, storedScenarios } from './pass-variables.js';
import type { Session } from './session.js';
import { updateSweep } from './update-sweep.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { failureMessage } from '#engine';
import { ownCommand } from '#host';
import { InfrastructureError, UsageError } from '#lib';
import { type SweepStatus, sweepWorkflowId } from '#protocol';
import type { EffectiveScenario, Plan } from '#scenario';
import { callServer, LONG_CALL } from './call-server.js';

/**
 * Pauses or cancels a sweep; cancelling waits until none of its agents is left. Returns the sweep's status afterwards,
 * or null if it had ended already.
 *
 * @throws InfrastructureError if no worker responds
 */
export async function pauseOrCancelSweep(
  session: Session,
  resultsPath: string,
  plan: Plan,
  verb: 'pause' | 'cancel',
): Promise<SweepStatus | null> {
  const round = { scenarios: await storedScenariosIfAny(resultsPath, plan), file: {} };
  await noteAction(resultsPath, { verb, sweep: plan.sweep }, session.report);
  if ((await startNextRoundIfClosed(session, resultsPath, plan, round)) === 'ended') return null;
  const status = await updateSweep(session, plan.sweep, verb);
  if (status === null) return null;
  if (verb === 'cancel') await waitUntilClosed(session, plan.sweep);
  await bringResults(resultsPath, plan.sweep, session.report).bringAll();
  return status;
}

/**
 * Continues a sweep: unpauses it, or starts its next round if its workflow is gone. Returns false if it had ended
 * already.
 *
 * @throws InfrastructureError if no worker responds
 */
export async function resumeSweep(
  session: Session,
  resultsPath: string,
  plan: Plan,
  round: RoundInputs,
): Promise<boolean> {
  await noteAction(resultsPath, { verb: 'resume', sweep: plan.sweep }, session.report);
  const found = await startNextRoundIfClosed(session, resultsPath, plan, round);
  if (found === 'ended') return false;
  if (found === 'started') return true;
  await passNewValues(session, plan, round);
  await updateSweep(session, plan.sweep, 'resume');
  return true;
}

/** Returns [] if the scenarios are gone. They are needed to continue a sweep, but not to pause or cancel it. */
async function storedScenariosIfAny(resultsPath: string, plan: Plan): Promise<EffectiveScenario[]> {
  try {
    return await storedScenarios(resultsPath, plan);
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

const LOOK_MS = 1000;
const ANSWER_MS = 2000;
/** The last step is retried after 1, 2 and 4 s. If it has failed more often than this, the problem is not transient. */
const FAILED = 4;

/**
 * Waits until the workflow of a cancelled sweep has closed. Its last step is retried without limit, until somebody
 * repairs the disk or the log. This function does not wait for that.
 *
 * @throws InfrastructureError if all runs have ended, but the sweep's summary cannot be written
 */
async function waitUntilClosed(session: Session, sweep: string): Promise<void> {
  const handleOf = ({ workflow }: Client) => workflow.getHandle(sweepWorkflowId(sweep));
  let isClosed = false as boolean;
  const closed = callServer(session, (client) => handleOf(client).result(), LONG_CALL).finally(() => (isClosed = true));
  closed.catch(() => undefined); // handles the rejection if nobody is waiting anymore
  let first: number | null = null;
  while (!isClosed) {
    const why = await writeProblem();
    if (why !== null)
      throw new InfrastructureError(
        `${sweep} is cancelled and its runs have ended, but its summary cannot be written: ${why}; the sweep keeps trying, and ${ownCommand(`show ${sweep}`)} shows when it succeeds`,
      );
    await Promise.race([closed, sleep(LOOK_MS)]);
  }
  await closed;

  /** Returns null if unknown. If the server is away, the call that waits for the result reports it. */
  async function writeProblem(): Promise<string | null> {
    const { client } = session;
    const description = await client
      .withDeadline(Date.now() + ANSWER_MS, () => handleOf(client).describe())
      .catch(() => null);
    const last = description?.raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'finishSweep');
    if (last?.attempt == null) return null;
    // The cause of failures before this command started may have been repaired.
    first ??= last.attempt;
    return last.attempt > Math.max(FAILED, first) ? failureMessage(client, last.lastFailure) : null;
  }
}
