import type { EffectiveScenario, Plan } from '../../scenario/plan.js';
import { printJson, printNotice } from './output.js';
import { ownCommand } from '../../platform/invocation.js';
import { openProject } from '../../planning/project.js';
import { openSession } from '../../client/session.js';
import { printAlreadyEnded } from './print-sweep.js';
import { hasEnded } from '../../client/sweeps/ended-sweep.js';
import { findPlan } from '../../client/sweeps/find-sweep.js';
import { storedScenarios } from '../../client/pass-variables-again.js';
import { startNextRoundIfClosed } from '../../client/next-round.js';
import { sweepDocument } from '../../client/sweeps/sweep-document.js';
import { bringResults } from '../../client/follow/bring-results.js';
import { waitUntilClosed } from '../../client/wait-until-closed.js';
import { updateSweep, type SweepOptions } from '../../client/update-sweep.js';
import { UsageError } from '../../lib/errors/usage-error.js';

/**
 * `pause`: starts no new cells, but lets running agents finish. `cancel`: kills the agents, and returns when none of
 * their processes is left.
 */
export async function pauseOrCancel(
  verb: 'pause' | 'cancel',
  id: string,
  options: SweepOptions,
): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  if (hasEnded(resultsPath, plan)) return printAlreadyEnded(resultsPath, plan, options.json);
  const session = await openSession(resultsPath, printNotice, options);
  try {
    const round = { scenarios: await storedScenariosIfAny(resultsPath, plan), file: {} };
    if ((await startNextRoundIfClosed(session, resultsPath, plan, round)) === 'ended')
      return await printAlreadyEnded(resultsPath, plan, options.json);
    const status = await updateSweep(session, plan.sweep, verb);
    if (status === null) return await printAlreadyEnded(resultsPath, plan, options.json);
    if (verb === 'cancel') await waitUntilClosed(session, plan.sweep);
    await bringResults(resultsPath, plan.sweep, printNotice).bringAll();
    const document = { ...(await sweepDocument(resultsPath, plan, printNotice)), status };
    if (options.json) printJson(document);
    else
      printNotice(
        `${plan.sweep}: ${status}${verb === 'pause' ? `; continue with ${ownCommand(`resume ${plan.sweep}`)}` : ''}`,
      );
    return 0;
  } finally {
    await session.close();
  }
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
