import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { AgentLaunch } from '../agents/agent.js';
import type { ProcessHandle, ProcessState } from '../environments/environment.js';
import { recordGrowth } from '../platform/growth.js';
import { writeFileAtomic } from '../platform/write-file.js';
import type { AgentRecord } from '../results/run-record.js';
import { NO_USAGE } from '../results/token-usage.js';
import { STEPS, type AgentBrief, type RunRef } from '../workflows/protocol.js';
import { planLaunch } from './agent-launch.js';
import { digestOutput, type AgentStep, type EndedStart } from './digest-output.js';
import { earlierAttempts, noteAttempt } from './attempts.js';
import type { Fence } from './fence.js';
import { heartbeating, wasCancelled } from './heartbeat.js';
import { publishStep, readStep } from './publish-step.js';
import { watchCost } from './watch-cost.js';
import { loadRun, type Deps, type RunContext } from './run-context.js';
import { buildWorkspace, type Prepared } from './workspace.js';

/** An agent that is lost so often is lost again; each start may cost money. */
const MAX_STARTS = 3;

/** Runs the agent, or adopts the one that an earlier attempt has started, and digests what it wrote. */
export const runAgent =
  (deps: Deps) =>
  async (run: RunRef): Promise<AgentBrief> => {
    const context = await loadRun(deps, run);
    const step = await publishStep<AgentStep>(context, STEPS.agent, (fence) =>
      noteAttempt(context, () => heartbeating((signal) => perform(deps, context, fence, signal))),
    );
    const { ending, completed, message, cost_usd } = step.record;
    return { ending, completed, message, costUsd: cost_usd };
  };

async function perform(
  deps: Deps,
  context: RunContext,
  fence: Fence,
  signal: AbortSignal,
): Promise<AgentStep> {
  const prepared = await readStep<Prepared>(context, STEPS.prepare);
  if (prepared === null) throw ApplicationFailure.nonRetryable('the workspace was not prepared', 'StepOrder');
  const { launch, env, program } = await planLaunch(context);
  if (program === null) {
    const message = `agent ${context.run.cell.agent}: '${launch.argv[0] ?? ''}' was not found; install it`;
    return {
      record: unable(context, message),
      efficiency: null,
      trajectory: null,
    };
  }
  const history = await earlierAttempts(context);
  let ended: EndedStart;
  try {
    ended = await superviseToEnd({ deps, context, launch, env, history, fence }, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'E2BIG') throw error;
    const message = `agent ${context.run.cell.agent}: the prompt is too long for an argument; use prompt = "stdin" or "file"`;
    return { record: unable(context, message), efficiency: null, trajectory: null };
  }
  await fence.check();
  const digested = await digestOutput(context, prepared.result.setup, ended);
  const version = prepared.result.agent_version ?? null;
  const containment = await context.environment.containment();
  return { ...digested, record: { ...digested.record, version, containment, history } };
}

interface Supervision {
  deps: Deps;
  context: RunContext;
  launch: AgentLaunch;
  env: Record<string, string>;
  /** What the report says of lost attempts and starts; added to. */
  history: string[];
  fence: Fence;
}

/** The agent's last start, brought to its end: adopted when it runs, read when it has ended, started when there is none. */
async function superviseToEnd(supervision: Supervision, signal: AbortSignal): Promise<EndedStart> {
  const { context, history } = supervision;
  const { environment, handle } = context;
  for (let start = Math.max(1, await lastStart(handle.root)); ; start++) {
    const process = environment.process(handle, start);
    const before = await environment.inspect(process);
    if (before.state === 'none') await startAgent(supervision, start, signal);
    else if (before.state === 'ended')
      history.push(`start ${start} of the agent had ended; its output was taken`);
    else if (before.state !== 'dead') history.push(`start ${start} of the agent was alive; adopted`);
    const end = before.state === 'ended' ? before : await follow(context, process, signal);
    if (end.state === 'ended') return endedStart(context, process, start, end);
    if (start >= MAX_STARTS) {
      throw ApplicationFailure.nonRetryable(
        `the agent was lost ${start} times without an exit status`,
        'AgentLost',
      );
    }
    history.push(
      `start ${start} of the agent was lost without an exit status; started again in a fresh workspace`,
    );
  }
}

async function startAgent(
  { deps, context, launch, env, fence }: Supervision,
  start: number,
  signal: AbortSignal,
): Promise<void> {
  if (start > 1) {
    const { unfit } = await buildWorkspace(deps, context, fence, signal);
    if (unfit !== null) throw ApplicationFailure.nonRetryable(unfit, 'Unfit');
  }
  await writeLaunchFiles(launch);
  await fence.check();
  await context.environment.start(context.handle, {
    start,
    argv: launch.argv,
    env,
    stdin: launch.stdin,
    deadlineSecs: context.timeout_secs,
    idleSecs: context.scenario.run.idle_timeout_secs ?? null,
  });
}

/**
 * Waits for the end. A cancelled run ends its agent, whose output is digested like any other's: it was paid for. Any
 * other reason to stop leaves the agent to the next attempt.
 */
async function follow(
  context: RunContext,
  process: ProcessHandle,
  signal: AbortSignal,
): Promise<ProcessState> {
  const { environment } = context;
  const end = environment.attach(process, signal);
  const { stdout } = environment.output(process);
  const beside = Promise.all([
    recordGrowth(stdout, join(process.folder, 'growth'), end),
    watchCost(context, stdout, end, () => environment.kill(process, 'cost')),
  ]);
  beside.catch(() => undefined); // told below, when the agent has ended
  try {
    return await end;
  } catch (error) {
    if (!wasCancelled()) throw error;
    const killed = await environment.kill(process, 'cancel');
    if (killed.state !== 'ended') throw error;
    return killed;
  } finally {
    await beside;
  }
}

async function endedStart(
  context: RunContext,
  process: ProcessHandle,
  start: number,
  { exitCode, stopped }: Extract<ProcessState, { state: 'ended' }>,
): Promise<EndedStart> {
  const timeOf = async (file: string): Promise<number> =>
    Math.round((await stat(join(process.folder, file))).mtimeMs);
  return {
    start,
    exitCode,
    stopped,
    ...context.environment.output(process),
    growth: join(process.folder, 'growth'),
    startedAt: await timeOf('sup'),
    endedAt: await timeOf('exit'),
  };
}

/** Number of the agent's last start; 0 where it was never started. */
export async function lastStart(root: string): Promise<number> {
  const names = await readdir(join(root, 'agent')).catch(() => []);
  return Math.max(0, ...names.map(Number).filter((number) => number > 0));
}

async function writeLaunchFiles({ files }: AgentLaunch): Promise<void> {
  for (const { path, content } of files) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, content, 0o600);
  }
}

function unable(context: RunContext, message: string): AgentRecord {
  return {
    ending: 'unable',
    completed: false,
    exit_code: null,
    message: context.redact(message),
    version: null,
    containment: null,
    session_id: null,
    model_used: null,
    duration_ms: 0,
    starts: 0,
    output_bytes: 0,
    token_usage: NO_USAGE,
    cost_usd: null,
    cost_source: null,
    history: [],
  };
}
