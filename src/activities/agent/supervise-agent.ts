import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { sharesHost, type ProcessState } from '../../environments/environment.js';
import { lastStart, startFiles, startFolder } from '../../environments/journal.js';
import { recordTimeline } from '../../platform/process/output-timeline.js';
import { supervisorErrors } from '../../platform/process/supervise.js';
import { writeFileAtomic } from '../../platform/fs/write-file.js';
import { agentStep } from '../../scenario/scenario.js';
import { planLaunch } from './launch.js';
import { agentOutputs, lastSession, sessionOf } from './outputs.js';
import type { Fence } from '../step/fence.js';
import { wasCancelled } from '../step/heartbeat.js';
import { copyCredentials, syncCredentials } from '../credentials/login-files.js';
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
  for (let start = Math.max(first, lastStart(handle)); ; start++) {
    const before = await environment.inspect(handle, start);
    if (before.state === 'none') await startAgent(supervision, start, fresh);
    else if (before.state === 'ended')
      history.push(`start ${start} of the agent had ended; its output was taken`);
    else if (before.state !== 'dead') history.push(`start ${start} of the agent was alive; adopted`);
    const end = before.state === 'ended' ? before : await follow(context, start, signal);
    history.push(...(await syncCredentials(context.environment, context, start)));
    if (end.state === 'ended') return start;
    // Another attempt may have started the agent again by now, or is to do so.
    signal.throwIfAborted();
    await fence.check();
    // What its supervisor held may live on.
    await environment.kill(handle, 'everything');
    const errors = context.redact(await supervisorErrors(startFolder(handle, start)));
    if ((await lostStarts(context, start)) >= MAX_LOST) {
      throw ApplicationFailure.nonRetryable(
        `the agent was lost ${MAX_LOST} times without an exit status${errors}`,
        'AgentLost',
      );
    }
    history.push(`start ${start} of the agent was lost without an exit status${errors}`);
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Whatever else they left: one that was lost before the agent began has no output. */
async function lostStarts({ environment, handle }: RunContext, upTo: number): Promise<number> {
  const starts = Array.from({ length: upTo }, (_, index) => index + 1);
  const states = await Promise.all(starts.map((start) => environment.inspect(handle, start)));
  return states.filter(({ state }) => state !== 'ended').length;
}

/** Starts the agent: in the session of the starts before where that can go on, else in a fresh workspace. */
async function startAgent(supervision: Supervision, start: number, fresh: boolean): Promise<void> {
  const { context, fence, history, signal } = supervision;
  const { environment, handle } = context;
  const session = fresh ? null : await sessionToResume(context, start);
  if (session !== null) {
    await fence.check();
    await environment.kill(handle, 'everything');
    const { folder, resumes } = startFiles(handle, start);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFileAtomic(resumes, session, 0o600);
    history.push(`start ${start} of the agent resumed its session`);
  } else if (start > 1) {
    await freshWorkspace(supervision);
    history.push(`start ${start} of the agent began in a fresh workspace`);
  }
  const { launch, env } = await planLaunch(context, start, session);
  signal.throwIfAborted();
  await fence.check();
  assertRecordable(context);
  const login = await copyCredentials(context, start);
  await environment.start(handle, {
    start,
    argv: launch.argv,
    env,
    stdin: launch.stdin,
    files: [...launch.files, ...login],
    deadlineSecs: agentStep(context.scenario).timeout_secs,
    idleSecs: agentStep(context.scenario).idle_timeout_secs ?? null,
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
async function follow(context: RunContext, start: number, signal: AbortSignal): Promise<ProcessState> {
  const { environment, handle, state } = context;
  const { stdout, growth, resumes, folder } = startFiles(handle, start);
  const earlier = await agentOutputs(context, start - 1);
  const resumed = existsSync(resumes);
  // From here on it is awaited: a rejection that nobody handles yet would end the worker.
  const end = environment.inspect(handle, start, signal);
  const beside = Promise.all([
    recordTimeline(stdout, growth, end),
    // The disk of a container is not ours to look at.
    sharesHost(handle) ? watchRoom(stateFolderOf({ state }), folder, end) : null,
    watchCost(context, { earlier, resumed }, stdout, end, () =>
      environment.kill(handle, { start, reason: 'cost' }),
    ),
  ]);
  beside.catch(() => undefined); // told below, when the agent has ended
  try {
    return await end;
  } catch (error) {
    if (!wasCancelled()) throw error;
    await environment.kill(handle, { start, reason: 'cancel' });
    const killed = await environment.inspect(handle, start);
    if (killed.state === 'ended') return killed;
    await environment.kill(handle, 'everything');
    throw error;
  } finally {
    await beside;
  }
}
