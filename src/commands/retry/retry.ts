import type { Outcome } from '../../results/records/result-line.js';
import { readEnvFile } from '../shared/env-file.js';
import { followToEnd } from '../shared/follow-to-end.js';
import { printNotice } from '../shared/output.js';
import { ownCommand } from '../../platform/invocation.js';
import { openProject } from '../../planning/project.js';
import { openSession } from '../../client/session.js';
import { printAlreadyEnded, printEndedSweep } from '../shared/print-sweep.js';
import { hasEnded } from '../../client/sweeps/ended-sweep.js';
import { findPlan } from '../../client/sweeps/find-sweep.js';
import { storedScenarios } from '../../client/pass-variables-again.js';
import { startRetryRound } from '../../client/next-round.js';
import { sweepDocument } from '../../client/sweeps/sweep-document.js';
import { envFileError, updateSweep, type FollowOptions } from '../../client/update-sweep.js';
import { UsageError } from '../../lib/errors/usage-error.js';

export interface RetryOptions extends FollowOptions {
  /** For a running sweep: stop waiting for provider limits. */
  now: boolean;
  /** Also rerun cells that failed. */
  failed: boolean;
}

/** `retry`: reruns the cells of an ended sweep that could not be tested, or ends the waits of a running sweep. */
export async function retry(id: string, options: RetryOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  const again: Outcome[] = ['error', 'cancelled', ...(options.failed ? (['fail'] as const) : [])];
  if (hasEnded(resultsPath, plan)) {
    const { cells } = await sweepDocument(resultsPath, plan, printNotice);
    if (!cells.some(({ outcome }) => outcome === null || again.includes(outcome))) {
      printNotice(
        `${plan.sweep}: no cells to rerun${options.failed ? '' : '; use --failed to rerun those that failed'}`,
      );
      return printEndedSweep(resultsPath, plan, options.json);
    }
  } else if (!options.now) {
    throw new UsageError(
      'sweep_open',
      `${plan.sweep} has not ended; use --now to stop waiting for providers, or ${ownCommand(`resume ${plan.sweep}`)} to follow it`,
    );
  } else if (options.envFile !== undefined) throw envFileError(plan.sweep);
  const round = { scenarios: storedScenarios(resultsPath, plan), file: readEnvFile(options.envFile) };
  const session = await openSession(resultsPath, printNotice, options);
  try {
    if (hasEnded(resultsPath, plan)) {
      await startRetryRound(session, resultsPath, plan, round, again);
    } else if ((await updateSweep(session, plan.sweep, 'goOn')) === null) {
      return await printAlreadyEnded(resultsPath, plan, options.json);
    }
    return await followToEnd(session, plan, resultsPath, options.json);
  } finally {
    await session.close();
  }
}
