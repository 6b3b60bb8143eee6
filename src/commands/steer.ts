import type { EffectiveScenario, Plan } from '../scenario/plan.js';
import { printJson, say } from './output.js';
import { ownCommand } from './own-name.js';
import { openProject } from './project.js';
import { openSession } from './session.js';
import { hasEnded, sayEnded } from './sweeps/ended.js';
import { findPlan } from './sweeps/find-sweep.js';
import { storedScenarios } from './sweeps/hand-over-again.js';
import { startWhereLost } from './sweeps/next-round.js';
import { sweepDocument } from './sweeps/sweep-document.js';
import { untilClosed } from './sweeps/until-closed.js';
import { updateSweep, type SteerOptions } from './sweeps/update-sweep.js';
import { UsageError } from './usage-error.js';

/** `pause`: no new cell starts, running agents finish. `cancel`: agents are killed; returns when nothing of them lives. */
export async function steer(verb: 'pause' | 'cancel', id: string, options: SteerOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  if (hasEnded(resultsPath, plan)) return sayEnded(resultsPath, plan, options.json);
  const session = await openSession(resultsPath, options);
  try {
    const round = { scenarios: whatIsStored(resultsPath, plan), file: {} };
    if ((await startWhereLost(session, resultsPath, plan, round)) === 'ended')
      return await sayEnded(resultsPath, plan, options.json);
    const status = await updateSweep(session, plan.sweep, verb);
    if (status === null) return await sayEnded(resultsPath, plan, options.json);
    if (verb === 'cancel') await untilClosed(session, plan.sweep);
    const document = { ...(await sweepDocument(resultsPath, plan)), status };
    if (options.json) printJson(document);
    else
      say(
        `${plan.sweep}: ${status}${verb === 'pause' ? `; ${ownCommand(`resume ${plan.sweep}`)} goes on` : ''}`,
      );
    return 0;
  } finally {
    await session.close();
  }
}

/** A sweep can be paused and ended also where its scenarios are gone: only to go on it needs them. */
function whatIsStored(resultsPath: string, plan: Plan): EffectiveScenario[] {
  try {
    return storedScenarios(resultsPath, plan);
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}
