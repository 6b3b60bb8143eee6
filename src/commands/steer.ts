import {
  type FollowOptions,
  noteAction,
  openSession,
  passNewValues,
  pauseOrCancelSweep,
  planRetry,
  resumeSweep,
  type RetryChoice,
  roundInputs,
  startRetryRound,
  type SweepOptions,
  updateSweep,
} from '#client';
import { ownCommand } from '#host';
import { UsageError } from '#lib';
import { openProject } from '#planning';
import { findPlan, hasEnded, sweepDocument } from '#sweeps';
import { readEnvFile } from './shared/option-values.js';
import { followToEnd } from './shared/follow-to-end.js';
import { printJson, printNotice } from './shared/output.js';
import { printAlreadyEnded, printEndedSweep } from './shared/print-sweep.js';

/**
 * `resume`: continues a sweep, whatever its state is, and follows it. If it is paused, unpauses it. If its workflow was
 * terminated or its database is gone, starts another round with the cells that have no result. If it has ended, shows
 * it. Returns the exit code.
 */
export async function resume(id: string, options: FollowOptions): Promise<number> {
  const project = openProject(options.results);
  const { resultsPath } = project;
  const plan = findPlan(resultsPath, id);
  if (hasEnded(resultsPath, plan)) return printEndedSweep(resultsPath, plan, options.json);
  const round = await roundInputs(project, plan, readEnvFile(options.envFile));
  const session = await openSession(resultsPath, printNotice, options);
  try {
    if (!(await resumeSweep(session, resultsPath, plan, round)))
      return await printEndedSweep(resultsPath, plan, options.json);
    return await followToEnd(session, plan, resultsPath, options.json);
  } finally {
    await session.close();
  }
}

export interface RetryOptions extends FollowOptions, RetryChoice {
  /** For a running sweep: stop waiting for provider limits. */
  now: boolean;
}

/** `retry`: reruns cells of an ended sweep, or ends the waits of a running sweep. Returns the exit code. */
export async function retry(id: string, options: RetryOptions): Promise<number> {
  const project = openProject(options.results);
  const { resultsPath } = project;
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
  const round = await roundInputs(project, plan, readEnvFile(options.envFile));
  const session = await openSession(resultsPath, printNotice, options);
  try {
    const ended = hasEnded(resultsPath, plan);
    if (ended) {
      await startRetryRound(session, resultsPath, plan, round, rerun);
    } else {
      await noteAction(resultsPath, { verb: 'retry', sweep: plan.sweep }, printNotice);
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

/**
 * `pause`: starts no new cells, but lets running agents finish. `cancel`: kills the agents, and returns when none of
 * their processes is left.
 */
export async function pauseOrCancel(verb: 'pause' | 'cancel', id: string, options: SweepOptions): Promise<number> {
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
