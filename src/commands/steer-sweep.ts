import { WorkflowNotFoundError, type WorkflowExecutionDescription } from '@temporalio/client';
import { exitCodeOf } from '../results/sweep-document.js';
import { handoverFile, handoverFrom, writeHandover } from '../platform/handover.js';
import { readTextIfThere } from '../platform/read-file.js';
import { variableNames } from '../lib/interpolate.js';
import { knownAgents } from '../agents/index.js';
import { EffectiveScenario, type Plan } from '../scenario/plan.js';
import { scenarioFile, summaryFile } from '../store/results-folder.js';
import { sweepWorkflowId, UPDATES } from '../workflows/protocol.js';
import { findPlan } from './find-sweep.js';
import { printDocument, printJson, say } from './output.js';
import { openProject } from './project.js';
import { followToEnd } from './follow-to-end.js';
import { openSession, type Session } from './session.js';
import { sweepDocument } from './show.js';
import { startSweep } from './start-sweep.js';

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
  if ((await readTextIfThere(summaryFile(resultsPath, plan.sweep))) !== null)
    return showEnded(resultsPath, plan, options.json);
  const session = await openSession(resultsPath, options);
  try {
    const before = await describe(session, plan.sweep);
    if (before?.status.name === 'RUNNING') {
      await session.client.workflow.getHandle(sweepWorkflowId(plan.sweep)).executeUpdate(UPDATES.resume);
    } else {
      await handOverAgain(session, resultsPath, plan);
      const round = before === null ? 1 : Number(before.memo?.['round'] ?? 1) + 1;
      await startSweep(session, plan, round);
    }
    return await followToEnd(session, plan, resultsPath, options.json);
  } finally {
    await session.close();
  }
}

/** `pause`: no new cell starts, running agents finish. `cancel`: agents are killed; returns when nothing of them lives. */
export async function steer(verb: 'pause' | 'cancel', id: string, options: SteerOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  if ((await readTextIfThere(summaryFile(resultsPath, plan.sweep))) !== null) {
    say(`${plan.sweep} has ended already`);
    await showEnded(resultsPath, plan, options.json);
    return 0;
  }
  const session = await openSession(resultsPath, options);
  try {
    if ((await describe(session, plan.sweep)) === null) await startSweep(session, plan, 1);
    const handle = session.client.workflow.getHandle(sweepWorkflowId(plan.sweep));
    const status = await handle.executeUpdate(UPDATES[verb]);
    if (verb === 'cancel') await handle.result();
    const document = { ...(await sweepDocument(resultsPath, plan)), status };
    if (options.json) printJson(document);
    else
      say(
        `${plan.sweep}: ${String(status)}${verb === 'pause' ? `; \`llm-tool-test resume ${plan.sweep}\` goes on` : ''}`,
      );
    return 0;
  } finally {
    await session.close();
  }
}

/** Prints what an ended sweep came to, and gives its exit code. */
async function showEnded(resultsPath: string, plan: Plan, json: boolean): Promise<number> {
  const document = await sweepDocument(resultsPath, plan);
  printDocument(document, json);
  return exitCodeOf(document);
}

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
  const texts = Object.values(plan.agents).flatMap(({ env }) => Object.values(env));
  for (const { hash } of plan.scenarios) {
    const stored = await readTextIfThere(scenarioFile(resultsPath, hash));
    if (stored !== null) texts.push(...Object.values(EffectiveScenario.parse(JSON.parse(stored)).target.env));
  }
  const agents = knownAgents(plan.agents);
  const keys = plan.cells.flatMap(({ agent }) => agents.get(agent)?.env ?? []);
  await writeHandover(
    stateFolder,
    plan.sweep,
    handoverFrom(process.env, [...texts.flatMap(variableNames), ...keys]),
  );
}
