import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { ProcessHandle, ProcessState } from '../../environments/environment.js';
import { recordGrowth } from '../../platform/growth.js';
import { supervisorSaid } from '../../platform/supervise.js';
import { writeFileAtomic } from '../../platform/write-file.js';
import { planLaunch, writeLaunchFiles } from './launch.js';
import { agentOutputs, growthFile, lastSession, lastStart, resumesFile, sessionOf } from './outputs.js';
import type { Fence } from '../step/fence.js';
import { wasCancelled } from '../step/heartbeat.js';
import { lendLogin, returnLogin } from '../equip/login-files.js';
import type { RunContext } from '../step/run-context.js';
import { watchRoom } from './room-note.js';
import { watchCost } from './watch-cost.js';
import { assertRecordable, stateFolderOf } from '../step/recordable.js';

/** An agent that is lost so often is lost again; each start may cost money. */
const MAX_LOST = 3;
/** What the machine lacked, processes or memory, may be there again by then. */
const PAUSE_MS = 1000;

export interface Supervision {
  context: RunContext;
  /** What the report says of lost attempts and starts; added to. */
  history: string[];
  fence: Fence;
  signal: AbortSignal;
  /** Makes the workspace anew. */
  rebuild: () => Promise<{ unfit: string | null }>;
}

/**
 * The agent's last start, from `first` on, brought to its end: adopted when it runs, read when it has ended, started
 * when there is none. One that was lost is followed by another, in its session where that is sound (and `fresh` does not
 * say that it is not). Gives its number.
 */
export async function superviseToEnd(
  supervision: Supervision,
  first: number,
  fresh = false,
): Promise<number> {
  const { context, history, fence, signal } = supervision;
  const { environment, handle } = context;
  for (let start = Math.max(first, lastStart(handle.root)); ; start++) {
    const process = environment.process(handle, start);
    const before = await environment.inspect(process);
    if (before.state === 'none') await startAgent(supervision, start, fresh);
    else if (before.state === 'ended')
      history.push(`start ${start} of the agent had ended; its output was taken`);
    else if (before.state !== 'dead') history.push(`start ${start} of the agent was alive; adopted`);
    const end = before.state === 'ended' ? before : await follow(context, process, start, signal);
    history.push(...(await returnLogin(context, start)));
    if (end.state === 'ended') return start;
    // Another attempt may have started the agent again by now, or is to do so.
    signal.throwIfAborted();
    await fence.check();
    // What its supervisor held may live on.
    await environment.quell(handle);
    const said = context.redact(await supervisorSaid(process.folder));
    if ((await lostStarts(context, start)) >= MAX_LOST) {
      throw ApplicationFailure.nonRetryable(
        `the agent was lost ${MAX_LOST} times without an exit status${said}`,
        'AgentLost',
      );
    }
    history.push(`start ${start} of the agent was lost without an exit status${said}`);
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Whatever else they left: one that was lost before the agent began has no output. */
async function lostStarts({ environment, handle }: RunContext, upTo: number): Promise<number> {
  const starts = Array.from({ length: upTo }, (_, index) => environment.process(handle, index + 1));
  const states = await Promise.all(starts.map((start) => environment.inspect(start)));
  return states.filter(({ state }) => state !== 'ended').length;
}

/** Starts the agent: in the session of the starts before where that can go on, else in a fresh workspace. */
async function startAgent(supervision: Supervision, start: number, fresh: boolean): Promise<void> {
  const { context, fence, history, signal } = supervision;
  const { environment, handle } = context;
  const session = fresh ? null : await sessionToResume(context, start);
  if (session !== null) {
    await fence.check();
    await environment.quell(handle);
    const process = environment.process(handle, start);
    await mkdir(process.folder, { recursive: true, mode: 0o700 });
    await writeFileAtomic(resumesFile(process), session, 0o600);
    history.push(`start ${start} of the agent went on with its session`);
  } else if (start > 1) {
    await freshWorkspace(supervision);
    history.push(`start ${start} of the agent began anew in a fresh workspace`);
  }
  const { launch, env } = await planLaunch(context, start, session);
  await writeLaunchFiles(launch, handle.root);
  signal.throwIfAborted();
  await fence.check();
  assertRecordable(context);
  await lendLogin(context, start);
  await environment.start(handle, {
    start,
    argv: launch.argv,
    env,
    stdin: launch.stdin,
    deadlineSecs: context.timeout_secs,
    idleSecs: context.scenario.run.idle_timeout_secs ?? null,
  });
}

/** The session that the starts before have left, where the agent can go on with one; null where it cannot. */
async function sessionToResume(context: RunContext, start: number): Promise<string | null> {
  const { agent, environment, handle } = context;
  if (agent.resume === null || (await environment.look(handle, '.')).kind !== 'directory') return null;
  const before = lastSession(await agentOutputs(context, start - 1));
  return before.length === 0 ? null : sessionOf(context, before);
}

async function freshWorkspace({ rebuild }: Supervision): Promise<void> {
  const { unfit } = await rebuild();
  if (unfit !== null) throw ApplicationFailure.nonRetryable(unfit, 'Unfit');
}

/**
 * Waits for the end. A cancelled run ends its agent, whose output is digested like any other's: it was paid for. Any
 * other reason to stop leaves the agent to the next attempt.
 */
async function follow(
  context: RunContext,
  process: ProcessHandle,
  start: number,
  signal: AbortSignal,
): Promise<ProcessState> {
  const { environment } = context;
  const { stdout } = environment.output(process);
  const earlier = await agentOutputs(context, start - 1);
  const resumed = existsSync(resumesFile(process));
  // From here on it is awaited: a rejection that nobody handles yet would end the worker.
  const end = environment.attach(process, signal);
  const beside = Promise.all([
    recordGrowth(stdout, growthFile(process), end),
    watchRoom(stateFolderOf(context), process, end),
    watchCost(context, { earlier, resumed }, stdout, end, () => environment.kill(process, 'cost')),
  ]);
  beside.catch(() => undefined); // told below, when the agent has ended
  try {
    return await end;
  } catch (error) {
    if (!wasCancelled()) throw error;
    const killed = await environment.kill(process, 'cancel');
    if (killed.state === 'ended') return killed;
    await environment.quell(context.handle);
    throw error;
  } finally {
    await beside;
  }
}
