import { readEnvFile } from './env-file.js';
import { followToEnd } from './follow/follow-to-end.js';
import { openProject } from './project.js';
import { openSession } from './session.js';
import { hasEnded, showEnded } from './sweeps/ended.js';
import { findPlan } from './sweeps/find-sweep.js';
import { storedScenarios } from './sweeps/hand-over-again.js';
import { startWhereLost } from './sweeps/next-round.js';
import { keepsValues, updateSweep, type FollowOptions } from './sweeps/update-sweep.js';

/**
 * `resume`: goes on with a sweep, whatever has become of it, and follows it. Paused: unpaused. Its workflow terminated
 * or its database gone: started again as another round with the cells that have no result. Ended: shown.
 */
export async function resume(id: string, options: FollowOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  if (hasEnded(resultsPath, plan)) return showEnded(resultsPath, plan, options.json);
  const round = { scenarios: storedScenarios(resultsPath, plan), file: readEnvFile(options.envFile) };
  const session = await openSession(resultsPath, options);
  try {
    const found = await startWhereLost(session, resultsPath, plan, round);
    if (found === 'ended') return await showEnded(resultsPath, plan, options.json);
    if (found === 'open' && options.envFile !== undefined) throw keepsValues(plan.sweep);
    if (found === 'open') await updateSweep(session, plan.sweep, 'resume');
    return await followToEnd(session, plan, resultsPath, options.json);
  } finally {
    await session.close();
  }
}
