import { UsageError } from '../lib/errors/usage-error.js';
import type { EffectiveScenario, Plan } from '../scenario/plan.js';
import type { SweepStatus } from '../workflows/protocol.js';
import { bringResults } from './follow/bring-results.js';
import { startNextRoundIfClosed, type RoundInputs } from './next-round.js';
import { passNewValues, storedScenarios } from './pass-variables-again.js';
import type { Session } from './session.js';
import { updateSweep } from './update-sweep.js';
import { waitUntilClosed } from './wait-until-closed.js';

/**
 * Pauses or cancels a sweep; cancelling waits until none of its agents is left. Returns the sweep's status afterwards, or null if
 * it had ended already.
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
  if ((await startNextRoundIfClosed(session, resultsPath, plan, round)) === 'ended') return null;
  const status = await updateSweep(session, plan.sweep, verb);
  if (status === null) return null;
  if (verb === 'cancel') await waitUntilClosed(session, plan.sweep);
  await bringResults(resultsPath, plan.sweep, session.report).bringAll();
  return status;
}

/**
 * Continues a sweep: unpauses it, or starts its next round if its workflow is gone. Returns false if it had ended already.
 *
 * @throws InfrastructureError if no worker responds
 */
export async function resumeSweep(
  session: Session,
  resultsPath: string,
  plan: Plan,
  round: RoundInputs,
): Promise<boolean> {
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
