import { printJson, printNotice } from './output.js';
import { ownCommand } from '../../platform/invocation.js';
import { openProject } from '../../planning/project.js';
import { openSession } from '../../client/session.js';
import { printAlreadyEnded } from './print-sweep.js';
import { hasEnded } from '../../client/sweeps/ended-sweep.js';
import { findPlan } from '../../client/sweeps/find-sweep.js';
import { sweepDocument } from '../../client/sweeps/sweep-document.js';
import { pauseOrCancelSweep } from '../../client/steer-sweep.js';
import type { SweepOptions } from '../../client/update-sweep.js';

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
