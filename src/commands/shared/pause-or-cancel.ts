import { openSession, pauseOrCancelSweep, type SweepOptions } from '#client';
import { ownCommand } from '#host';
import { openProject } from '#planning';
import { findPlan, hasEnded, sweepDocument } from '#sweeps';
import { printJson, printNotice } from './output.js';
import { printAlreadyEnded } from './print-sweep.js';

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
    const status = await pauseOrCancelSweep(session, resultsPath, plan, verb);
    if (status === null) return await printAlreadyEnded(resultsPath, plan, options.json);
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
