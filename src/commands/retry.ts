import type { Outcome } from '../results/schema.js';
import { readEnvFile } from './env-file.js';
import { followToEnd } from './follow/follow-to-end.js';
import { say } from './output.js';
import { ownCommand } from './own-name.js';
import { openProject } from './project.js';
import { openSession } from './session.js';
import { hasEnded, sayEnded, showEnded } from './sweeps/ended.js';
import { findPlan } from './sweeps/find-sweep.js';
import { storedScenarios } from './sweeps/hand-over-again.js';
import { startAgain } from './sweeps/next-round.js';
import { sweepDocument } from './sweeps/sweep-document.js';
import { keepsValues, updateSweep, type FollowOptions } from './sweeps/update-sweep.js';
import { UsageError } from './usage-error.js';

export interface RetryOptions extends FollowOptions {
  /** Wait no longer for limits of providers, in a sweep that runs. */
  now: boolean;
  /** Also cells that failed. */
  failed: boolean;
}

/** `retry`: runs the cells of an ended sweep again that could not be tested, or ends the waits of one that runs. */
export async function retry(id: string, options: RetryOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  const again: Outcome[] = ['error', 'cancelled', ...(options.failed ? (['fail'] as const) : [])];
  if (hasEnded(resultsPath, plan)) {
    const { cells } = await sweepDocument(resultsPath, plan);
    if (!cells.some(({ outcome }) => outcome === null || again.includes(outcome))) {
      say(
        `${plan.sweep}: no cell to run again${options.failed ? '' : '; --failed runs those that failed, too'}`,
      );
      return showEnded(resultsPath, plan, options.json);
    }
  } else if (!options.now) {
    throw new UsageError(
      'sweep_open',
      `${plan.sweep} has not ended: --now ends its waits, ${ownCommand(`resume ${plan.sweep}`)} follows it`,
    );
  } else if (options.envFile !== undefined) throw keepsValues(plan.sweep);
  const round = { scenarios: storedScenarios(resultsPath, plan), file: readEnvFile(options.envFile) };
  const session = await openSession(resultsPath, options);
  try {
    if (hasEnded(resultsPath, plan)) {
      await startAgain(session, resultsPath, plan, round, again);
    } else if ((await updateSweep(session, plan.sweep, 'goOn')) === null) {
      return await sayEnded(resultsPath, plan, options.json);
    }
    return await followToEnd(session, plan, resultsPath, options.json);
  } finally {
    await session.close();
  }
}
