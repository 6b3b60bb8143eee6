import { followToEnd } from './follow/follow-to-end.js';
import { openProject } from './project.js';
import { openSession } from './session.js';
import { hasEnded, showEnded } from './sweeps/ended.js';
import { findPlan } from './sweeps/find-sweep.js';
import { startWhereLost } from './sweeps/next-round.js';
import { updateSweep, type SteerOptions } from './sweeps/update-sweep.js';

/**
 * `resume`: goes on with a sweep, whatever has become of it, and follows it. Paused: unpaused. Its workflow terminated
 * or its database gone: started again as another round with the cells that have no result. Ended: shown.
 */
export async function resume(id: string, options: SteerOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  if (hasEnded(resultsPath, plan)) return showEnded(resultsPath, plan, options.json);
  const session = await openSession(resultsPath, options);
  try {
    const found = await startWhereLost(session, resultsPath, plan);
    if (found === 'ended') return await showEnded(resultsPath, plan, options.json);
    if (found === 'open') await updateSweep(session, plan.sweep, 'resume');
    return await followToEnd(session, plan, resultsPath, options.json);
  } finally {
    await session.close();
  }
}
