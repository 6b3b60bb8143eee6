import { rm } from 'node:fs/promises';
import {
  type Client,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import type { Outcome } from '../results/records/result-line.js';
import type { EffectiveScenario, Plan } from '../scenario/plan.js';
import { summaryFile } from '../store/results-folder.js';
import { newestRound } from '../store/sweep-round.js';
import { sweepWorkflowId } from '../workflows/protocol.js';
import { askServer, LONG } from './ask-server.js';
import type { Session } from './session.js';
import { hasEnded } from './sweeps/ended-sweep.js';
import { handOverAgain } from './hand-over-again.js';
import { endOpenRuns } from './open-runs.js';
import { startSweep } from './start-sweep.js';

/** What another round needs besides the plan. */
export interface RoundInputs {
  scenarios: readonly EffectiveScenario[];
  /** Of `--env-file`. */
  file: NodeJS.Dict<string>;
}

/** Starts the next round of a sweep whose workflow was closed before its end, or is gone. */
export async function startWhereLost(
  session: Session,
  resultsPath: string,
  plan: Plan,
  { scenarios, file }: RoundInputs,
): Promise<'open' | 'started' | 'ended'> {
  const before = await describe(session, plan.sweep);
  if (before?.status.name === 'RUNNING') return 'open';
  // It may have come to its end just now.
  if (hasEnded(resultsPath, plan)) return 'ended';
  await endOpenRuns(session, plan.sweep);
  await handOverAgain(session, plan, scenarios, file);
  await startSweep(session, plan, await nextRound(before, resultsPath, plan));
  return 'started';
}

/** Starts the next round of an ended sweep, in which results of the outcomes `again` count as none. */
export async function startAgain(
  session: Session,
  resultsPath: string,
  plan: Plan,
  { scenarios, file }: RoundInputs,
  again: Outcome[],
): Promise<void> {
  const before = await closed(session, plan.sweep);
  await endOpenRuns(session, plan.sweep);
  await handOverAgain(session, plan, scenarios, file);
  await rm(summaryFile(resultsPath, plan.sweep), { force: true });
  await startSweep(session, plan, await nextRound(before, resultsPath, plan), again);
}

/** The files know of rounds that the server may have lost. */
async function nextRound(
  before: WorkflowExecutionDescription | null,
  resultsPath: string,
  { sweep }: Plan,
): Promise<number> {
  const inFiles = await newestRound(resultsPath, sweep);
  if (before === null) return inFiles === 1 ? 1 : inFiles + 1;
  return Math.max(Number(before.memo?.['round'] ?? 1), inFiles) + 1;
}
/** The workflow of a sweep that has written its summary: it closes a moment later, and a start before that would only join it. */
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
  await askServer(session, end, LONG);
  return describe(session, sweep);
}

async function describe(session: Session, sweep: string): Promise<WorkflowExecutionDescription | null> {
  try {
    return await askServer(session, ({ workflow }) => workflow.getHandle(sweepWorkflowId(sweep)).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
