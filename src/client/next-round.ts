import { rm } from 'node:fs/promises';
import {
  type Client,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { monthUsdOf, type Project } from '#planning';
import { sweepWorkflowId } from '#protocol';
import type { EffectiveScenario, Plan } from '#scenario';
import { newestRound, summaryFile } from '#store';
import { hasEnded } from '#sweeps';
import { callServer, LONG_CALL } from './call-server.js';
import type { Session } from './session.js';
import { noteAction } from './note-action.js';
import { passVariablesAgain, storedScenarios } from './pass-variables.js';
import { endOpenRuns } from './end-open-runs.js';
import { startSweep, type Rerun } from './start-sweep.js';

/** The inputs of another round, in addition to the plan. */
export interface RoundInputs {
  scenarios: readonly EffectiveScenario[];
  /** The variables from `--env-file`. */
  file: NodeJS.Dict<string>;
  /** The budget that the owner has now for a month; null: none. Absent: that of the plan. */
  monthUsd?: number | null;
}

/** Reads what a later round of a sweep needs. `file`: the variables from `--env-file`. */
export const roundInputs = async (
  { resultsPath, config }: Pick<Project, 'resultsPath' | 'config'>,
  plan: Plan,
  file: NodeJS.Dict<string>,
): Promise<RoundInputs> => ({
  scenarios: await storedScenarios(resultsPath, plan),
  file,
  monthUsd: monthUsdOf(config, plan.owner ?? null),
});

/**
 * Starts the next round of a sweep whose workflow closed before the sweep ended, or is gone from the server. Returns
 * 'open' if the workflow is still running, and 'ended' if the sweep has ended.
 */
export async function startNextRoundIfClosed(
  session: Session,
  resultsPath: string,
  plan: Plan,
  { scenarios, file, ...budget }: RoundInputs,
): Promise<'open' | 'started' | 'ended'> {
  const before = await describe(session, plan.sweep);
  if (before?.status.name === 'RUNNING') return 'open';
  // It may have ended just now.
  if (hasEnded(resultsPath, plan)) return 'ended';
  await endOpenRuns(session, plan.sweep);
  await passVariablesAgain(session, plan, scenarios, file);
  await startSweep(session, plan, await nextRound(before, resultsPath, plan), budget);
  return 'started';
}

/** Starts the next round of an ended sweep. */
export async function startRetryRound(
  session: Session,
  resultsPath: string,
  plan: Plan,
  { scenarios, file, ...budget }: RoundInputs,
  rerun: Rerun,
): Promise<void> {
  await noteAction(resultsPath, { verb: 'retry', sweep: plan.sweep }, session.report);
  const before = await closed(session, plan.sweep);
  await endOpenRuns(session, plan.sweep);
  await passVariablesAgain(session, plan, scenarios, file);
  await rm(summaryFile(resultsPath, plan.sweep), { force: true });
  await startSweep(session, plan, await nextRound(before, resultsPath, plan), { rerun, ...budget });
}

/** Returns the number of the next round. The result files may have rounds that the server has lost. */
async function nextRound(
  before: WorkflowExecutionDescription | null,
  resultsPath: string,
  { sweep }: Plan,
): Promise<number> {
  const inFiles = await newestRound(resultsPath, sweep);
  if (before === null) return inFiles === 1 ? 1 : inFiles + 1;
  return Math.max(Number(before.memo?.['round'] ?? 1), inFiles) + 1;
}

/**
 * Waits until the workflow of an ended sweep has closed, which happens a moment after its summary is written. A start
 * before that would only join the old workflow. Returns the closed workflow, or null if the server does not know it.
 */
async function closed(session: Session, sweep: string): Promise<WorkflowExecutionDescription | null> {
  const before = await describe(session, sweep);
  if (before?.status.name !== 'RUNNING') return before;
  session.report(`waiting for the workflow of ${sweep} to close`);
  const end = ({ workflow }: Client): Promise<unknown> =>
    workflow
      .getHandle(sweepWorkflowId(sweep))
      .result()
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowFailedError)) throw error; // however it ended
      });
  await callServer(session, end, LONG_CALL);
  return describe(session, sweep);
}

async function describe(session: Session, sweep: string): Promise<WorkflowExecutionDescription | null> {
  try {
    return await callServer(session, ({ workflow }) => workflow.getHandle(sweepWorkflowId(sweep)).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
