import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { WorkflowNotFoundError, type WorkflowExecutionDescription } from '@temporalio/client';
import { handoverFile, handoverFrom, writeHandover } from '../platform/handover.js';
import { readTextIfThere } from '../platform/read-file.js';
import type { Outcome } from '../results/schema.js';
import { exitCodeOf } from '../results/sweep-document.js';
import { EffectiveScenario, type Plan } from '../scenario/plan.js';
import { scenarioFile, summaryFile } from '../store/results-folder.js';
import { sweepWorkflowId, UPDATES, type SweepStatus } from '../workflows/protocol.js';
import { findPlan } from './find-sweep.js';
import { followToEnd } from './follow-to-end.js';
import { neededVariables } from './needed-variables.js';
import { printDocument, printJson, say } from './output.js';
import { ownCommand } from './own-name.js';
import { openProject } from './project.js';
import { openSession, type Session } from './session.js';
import { sweepDocument } from './show.js';
import { startSweep } from './start-sweep.js';
import { UsageError } from './usage-error.js';

export interface SteerOptions {
  json: boolean;
  results?: string;
  address?: string;
}

/**
 * `resume`: goes on with a sweep, whatever has become of it, and follows it. Paused: unpaused. Its workflow terminated
 * or its database gone: started again as another round with the cells that have no result. Ended: shown.
 */
export async function resume(id: string, options: SteerOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  if (hasEnded(resultsPath, plan)) return showEnded(resultsPath, plan, options.json);
  const session = await openSession(resultsPath, options);
  try {
    const found = await startWhereLost(session, resultsPath, plan);
    if (found === 'ended') return await showEnded(resultsPath, plan, options.json);
    if (found === 'open') await updateSweep(session, plan.sweep, 'resume');
    return await followToEnd(session, plan, resultsPath, options.json);
  } finally {
    await session.close();
  }
}

/** `pause`: no new cell starts, running agents finish. `cancel`: agents are killed; returns when nothing of them lives. */
export async function steer(verb: 'pause' | 'cancel', id: string, options: SteerOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  if (hasEnded(resultsPath, plan)) return sayEnded(resultsPath, plan, options.json);
  const session = await openSession(resultsPath, options);
  try {
    if ((await startWhereLost(session, resultsPath, plan)) === 'ended')
      return await sayEnded(resultsPath, plan, options.json);
    const status = await updateSweep(session, plan.sweep, verb);
    if (status === null) return await sayEnded(resultsPath, plan, options.json);
    if (verb === 'cancel') await session.client.workflow.getHandle(sweepWorkflowId(plan.sweep)).result();
    const document = { ...(await sweepDocument(resultsPath, plan)), status };
    if (options.json) printJson(document);
    else
      say(
        `${plan.sweep}: ${status}${verb === 'pause' ? `; ${ownCommand(`resume ${plan.sweep}`)} goes on` : ''}`,
      );
    return 0;
  } finally {
    await session.close();
  }
}

export interface RetryOptions extends SteerOptions {
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
  }
  const session = await openSession(resultsPath, options);
  try {
    if (hasEnded(resultsPath, plan)) {
      const before = await describe(session, plan.sweep);
      await handOverAgain(session, resultsPath, plan);
      await rm(summaryFile(resultsPath, plan.sweep), { force: true });
      await startSweep(session, plan, nextRound(before), again);
    } else if ((await updateSweep(session, plan.sweep, 'goOn')) === null) {
      return await sayEnded(resultsPath, plan, options.json);
    }
    return await followToEnd(session, plan, resultsPath, options.json);
  } finally {
    await session.close();
  }
}

/** The sweep's status after an update; null when its workflow has closed since it was looked at. */
export async function updateSweep(
  { client }: Pick<Session, 'client'>,
  sweep: string,
  name: keyof typeof UPDATES,
): Promise<SweepStatus | null> {
  try {
    return await client.workflow
      .getHandle(sweepWorkflowId(sweep))
      .executeUpdate<SweepStatus, []>(UPDATES[name]);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** Its summary is written last of all. */
const hasEnded = (resultsPath: string, plan: Plan): boolean =>
  existsSync(summaryFile(resultsPath, plan.sweep));

/** There is nothing to steer, and nothing wrong with that. */
async function sayEnded(resultsPath: string, plan: Plan, json: boolean): Promise<number> {
  say(`${plan.sweep} has ended already`);
  await showEnded(resultsPath, plan, json);
  return 0;
}

/** Prints what an ended sweep came to, and gives its exit code. */
async function showEnded(resultsPath: string, plan: Plan, json: boolean): Promise<number> {
  const document = await sweepDocument(resultsPath, plan);
  printDocument(document, json);
  return exitCodeOf(document);
}

/** Starts the next round of a sweep whose workflow was closed before its end, or is gone. */
async function startWhereLost(
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
