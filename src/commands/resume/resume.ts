import { type FollowOptions, openSession, resumeSweep, storedScenarios } from '#client';
import { openProject } from '#planning';
import { findPlan, hasEnded } from '#sweeps';
import { readEnvFile } from '../shared/env-file.js';
import { printNotice } from '../shared/output.js';
import { followToEnd } from '../shared/follow-to-end.js';
import { printEndedSweep } from '../shared/print-sweep.js';

/**
 * `resume`: continues a sweep, whatever its state is, and follows it. If it is paused, unpauses it. If its workflow was
 * terminated or its database is gone, starts another round with the cells that have no result. If it has ended, shows
 * it. Returns the exit code.
 */
export async function resume(id: string, options: FollowOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  if (hasEnded(resultsPath, plan)) return printEndedSweep(resultsPath, plan, options.json);
  const round = { scenarios: await storedScenarios(resultsPath, plan), file: readEnvFile(options.envFile) };
  const session = await openSession(resultsPath, printNotice, options);
  try {
    if (!(await resumeSweep(session, resultsPath, plan, round)))
      return await printEndedSweep(resultsPath, plan, options.json);
    return await followToEnd(session, plan, resultsPath, options.json);
  } finally {
    await session.close();
  }
}
