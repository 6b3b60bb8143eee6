import {
  type FollowOptions,
  openSession,
  passNewValues,
  planRetry,
  type RetryChoice,
  startRetryRound,
  storedScenarios,
  updateSweep,
} from '#client';
import { ownCommand } from '#host';
import { UsageError } from '#lib';
import { openProject } from '#planning';
import { findPlan, hasEnded } from '#sweeps';
import { readEnvFile } from '../shared/env-file.js';
import { followToEnd } from '../shared/follow-to-end.js';
import { printNotice } from '../shared/output.js';
import { printAlreadyEnded, printEndedSweep } from '../shared/print-sweep.js';

export interface RetryOptions extends FollowOptions, RetryChoice {
  /** For a running sweep: stop waiting for provider limits. */
  now: boolean;
}

/** `retry`: reruns cells of an ended sweep, or ends the waits of a running sweep. Returns the exit code. */
export async function retry(id: string, options: RetryOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  const { rerun, isUseful, earlier } = await planRetry(resultsPath, plan, options, printNotice);
  if (hasEnded(resultsPath, plan)) {
    if (!isUseful) {
      printNotice(
        `${plan.sweep}: no cells to rerun${options.failed || plan.until_clear !== undefined ? '' : '; use --failed to rerun those that failed'}`,
      );
      return printEndedSweep(resultsPath, plan, options.json);
    }
  } else if (!options.now) {
    throw new UsageError(
      'sweep_open',
      `${plan.sweep} has not ended; use --now to stop waiting for providers, or ${ownCommand(`resume ${plan.sweep}`)} to follow it`,
    );
  }
  const round = { scenarios: await storedScenarios(resultsPath, plan), file: readEnvFile(options.envFile) };
  const session = await openSession(resultsPath, printNotice, options);
  try {
    const ended = hasEnded(resultsPath, plan);
    if (ended) {
      await startRetryRound(session, resultsPath, plan, round, rerun);
    } else {
      await passNewValues(session, plan, round);
      if ((await updateSweep(session, plan.sweep, 'goOn')) === null)
        return await printAlreadyEnded(resultsPath, plan, options.json);
    }
    const replaced = ended ? earlier.replaced : new Set<string>();
    return await followToEnd(session, plan, resultsPath, options.json, { earlier: { ...earlier, replaced } });
  } finally {
    await session.close();
  }
}
