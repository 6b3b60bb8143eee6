import { rm } from 'node:fs/promises';
import { WorkflowNotFoundError, type WorkflowExecutionDescription } from '@temporalio/client';
import { handoverFile, handoverFrom, writeHandover } from '../../platform/handover.js';
import { readTextIfThere } from '../../platform/read-file.js';
import type { Outcome } from '../../results/schema.js';
import { EffectiveScenario, type Plan } from '../../scenario/plan.js';
import { scenarioFile, summaryFile } from '../../store/results-folder.js';
import { sweepWorkflowId } from '../../workflows/protocol.js';
import { neededVariables } from '../plan/needed-variables.js';
import type { Session } from '../session.js';
import { hasEnded } from './ended.js';
import { startSweep } from './start-sweep.js';

/** Starts the next round of a sweep whose workflow was closed before its end, or is gone. */
export async function startWhereLost(
  session: Session,
  resultsPath: string,
  plan: Plan,
): Promise<'open' | 'started' | 'ended'> {
  const before = await describe(session, plan.sweep);
  if (before?.status.name === 'RUNNING') return 'open';
  // It may have come to its end just now.
  if (hasEnded(resultsPath, plan)) return 'ended';
  await handOverAgain(session, resultsPath, plan);
  await startSweep(session, plan, nextRound(before));
  return 'started';
}

/** Starts the next round of an ended sweep, in which results of the outcomes `again` count as none. */
export async function startAgain(
  session: Session,
  resultsPath: string,
  plan: Plan,
  again: Outcome[],
): Promise<void> {
  const before = await describe(session, plan.sweep);
  await handOverAgain(session, resultsPath, plan);
  await rm(summaryFile(resultsPath, plan.sweep), { force: true });
  await startSweep(session, plan, nextRound(before), again);
}

const nextRound = (before: WorkflowExecutionDescription | null): number =>
  before === null ? 1 : Number(before.memo?.['round'] ?? 1) + 1;

async function describe({ client }: Session, sweep: string): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(sweepWorkflowId(sweep)).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** The values that the first command handed over may be gone with the state folder: this shell's count then. */
async function handOverAgain({ stateFolder }: Session, resultsPath: string, plan: Plan): Promise<void> {
  if ((await readTextIfThere(handoverFile(stateFolder, plan.sweep))) !== null) return;
  const scenarios: EffectiveScenario[] = [];
  for (const { hash } of plan.scenarios) {
    const stored = await readTextIfThere(scenarioFile(resultsPath, hash));
    if (stored !== null) scenarios.push(EffectiveScenario.parse(JSON.parse(stored)));
  }
  const names = neededVariables({
    ...{ agents: plan.agents, providers: plan.providers },
    targets: scenarios.map(({ target }) => target),
    cells: plan.cells,
    judges: scenarios.map(({ judge }) => judge),
  });
  await writeHandover(stateFolder, plan.sweep, handoverFrom(process.env, names));
}
