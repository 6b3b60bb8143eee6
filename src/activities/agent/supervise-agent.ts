import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { lastStart, type ProcessState, sharesHost, startFiles, startFolder } from '#environments';
import { recordTimeline, supervisorErrors, writeFileAtomic } from '#host';
import { defined, describeEnd, shellWord } from '#lib';
import type { Rebuilt } from './commands-before.js';
import { watchDisk } from './disk-full.js';
import type { PlannedLaunch } from './launch.js';
import { agentOutputs, continuesSession, lastSession, sessionOf } from './outputs.js';
import type { Fence } from '../step/fence.js';
import { wasCancelled } from '../step/heartbeat.js';
import { copyCredentials, syncCredentials } from '../credentials/login-files.js';
import { awaitHealth } from '../prepare/await-health.js';
import { anewIn, firstStartOf, type StepAnew, stepOfTurn, turnsBefore, turnSecs } from './turns.js';
import type { Handlers, WatchedStart } from './watch-output.js';
import { assertRecordable, stateFolderOf } from '../step/disk-space.js';
import type { LoadedRun, RunPlaces, RunSecrets } from '../run/context.js';

/** An agent that was lost this often would be lost again, and each start may cost money. */
export const MAX_LOST = 3;
/** Pause before the next start, in case the machine was briefly out of processes or memory. */
const PAUSE_MS = 1000;

export interface Supervision {
  context: LoadedRun;
  /** Lines for the report about lost attempts and starts; appended to. */
  history: string[];
  fence: Fence;
  signal: AbortSignal;
  /** Plans a start of the agent, in a session if there is one. */
  plan: (start: number, session: string | null) => Promise<PlannedLaunch>;
  rebuild: () => Promise<Rebuilt>;
  /** True if the run has lost its machine before this attempt. */
  gone: boolean;
  /** Reads the output of a start until it is over, and stops the agent if that says so. */
  watch: (started: WatchedStart, over: Promise<unknown>, stop: Handlers['stop']) => Promise<void>;
}

/**
 * Brings the agent's last start, from number `first` on, to its end: adopts it if it runs, takes its output if it has
 * ended, starts it if there is none. A lost start is followed by another one, which resumes its session if that is
 * possible and `fresh` is not set. Returns the number of the start that ended.
 * @throws ApplicationFailure (non-retryable) after MAX_LOST lost starts
 */
export async function superviseToEnd(supervision: Supervision, first: number, fresh = false): Promise<number> {
  const { context, history, fence, signal } = supervision;
  const { environment, handle } = context;
  for (let start = Math.max(first, lastStart(handle)); ; start++) {
    const before = await environment.inspect(handle, start);
    if (before.state === 'none') await startAgent(supervision, start, fresh);
    else if (before.state === 'ended' && context.agent.isLoop !== true)
      history.push(`start ${start} of the agent had already ended; used its output`);
    else if (before.state === 'starting' || before.state === 'running')
      history.push(`start ${start} of the agent was still running; adopted it`);
    const end = before.state === 'ended' ? before : await follow(supervision, start);
    history.push(...(await syncCredentials(context.environment, context, start)));
    if (end.state === 'ended') return start;
    // Another attempt of the step may have started the agent again by now, or be about to.
    signal.throwIfAborted();
    await fence.check();
    // Processes that the lost supervisor controlled may still be alive.
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

/** Number of starts up to `upTo` that did not end. Not judged by their output: one lost early has none. */
async function lostStarts({ environment, handle }: RunPlaces, upTo: number): Promise<number> {
  const starts = Array.from({ length: upTo }, (_, index) => index + 1);
  const states = await Promise.all(starts.map((start) => environment.inspect(handle, start)));
  return states.filter(({ state }) => state !== 'ended').length;
}

/** Stands for a session that an agent cannot resume: it is given the earlier turns with its next message. */
const NO_SESSION = '-';

/**
 * Starts the agent: in the session of earlier starts if it can be resumed; else, in the first turn, in a fresh
 * workspace. Later turns never get a fresh one, because the work of the turns before is in it.
 */
async function startAgent(supervision: Supervision, start: number, fresh: boolean): Promise<void> {
  const { context, fence, history, signal } = supervision;
  const { environment, handle, agent } = context;
  const anew = anewIn(context);
  const session = fresh || anew !== undefined ? null : await sessionToResume(context, start);
  const before = await turnsBefore(context);
  const isNext = start === firstStartOf(before);
  if (anew !== undefined && (isNext || before.length > 0)) {
    if (before.length > 0) await assertWorkKept(context);
    if (isNext) await beginStep(supervision, anew);
  } else if (session !== null || before.length > 0) {
    if (before.length > 0) await assertWorkKept(context);
    await fence.check();
    await environment.kill(handle, 'everything');
    const { folder, resumes } = startFiles(handle, start);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (session !== null || agent.resume === null) await writeFileAtomic(resumes, session ?? NO_SESSION, 0o600);
    if (!isNext)
      history.push(
        `start ${start} of the agent ${session === null ? 'was given the earlier turns' : 'resumed its session'}`,
      );
  } else if (start > 1 || supervision.gone) {
    const { unfit, failed } = await supervision.rebuild();
    if (unfit !== null) throw ApplicationFailure.nonRetryable(unfit, 'Unfit');
    history.push(...failed);
    history.push(`start ${start} of the agent began in a fresh workspace`);
    if (anew !== undefined) await beginStep(supervision, anew);
  }
  const { launch, env, shown, beside, relay } = await supervision.plan(start, session);
  signal.throwIfAborted();
  await fence.check();
  assertRecordable(context);
  const login = await copyCredentials(context, start);
  for (const folder of placedFolders(context, launch)) await environment.place?.(handle, folder);
  await placeSkills(context, signal);
  await environment.start(handle, {
    start,
    argv: launch.argv,
    env,
    stdin: launch.stdin,
    files: [...launch.files, ...login],
    ...defined({ shown, beside, relay }),
    ...(context.scenario.task === undefined ? {} : { keepBackground: true as const }),
    deadlineSecs: turnSecs(context),
    idleSecs: stepOfTurn(context).idle_timeout_secs ?? null,
  });
}

/** The folders of the checks that are copied into the run's container for a start. */
const placedFolders = (
  { checksFolder }: Pick<RunPlaces, 'checksFolder'>,
  { fromChecks = [] }: Pick<PlannedLaunch['launch'], 'fromChecks'>,
) =>
  fromChecks.flatMap(({ folder, to }) => {
    const from = checksFolder === null ? null : join(checksFolder, folder);
    return from === null || !existsSync(from) ? [] : [{ from, to, replaces: true as const }];
  });

const SKILLS_SECS = 60;

/**
 * Copies the skills of a task's image to where the agent looks for them.
 *
 * @throws ApplicationFailure (non-retryable) if that fails
 */
async function placeSkills(context: LoadedRun, signal: AbortSignal): Promise<void> {
  const { environment, handle, agent, home, config } = context;
  const { skills_dir: from } = context.scenario.task ?? {};
  if (from === undefined || agent.mountable !== true || typeof agent.subject === 'string') return;
  const [source, to] = [shellWord(from), shellWord(agent.subject.skill({ home, config }))];
  const result = await environment.exec(handle, {
    command: `[ -d ${source} ] || { echo "${from} is no folder of the image" >&2; exit 1; }; mkdir -p ${to} && cp -R ${source}/. ${to}/`,
    env: {},
    timeoutSecs: SKILLS_SECS,
    signal,
  });
  if (result.exitCode === 0) return;
  const why = context.redact(result.stderr.trim().split('\n').at(-1) ?? describeEnd(result, SKILLS_SECS));
  throw ApplicationFailure.nonRetryable(`skills_dir cannot be copied: ${why}`, 'SetupFailed');
}

/**
 * Sets a step of a task up, and awaits its health check.
 *
 * @throws ApplicationFailure (non-retryable) if that fails
 */
async function beginStep(supervision: Supervision, { folder, healthcheck }: StepAnew): Promise<void> {
  await setUpStep(supervision, folder);
  const unhealthy = await awaitHealth(supervision.context, healthcheck, supervision.signal);
  if (unhealthy !== null) throw ApplicationFailure.nonRetryable(`${folder}: ${unhealthy}`, 'SetupFailed');
}

const STEP_SETUP_SECS = 600;

/**
 * Copies the files of a step of a task into the workspace, and runs its setup.sh.
 *
 * @throws ApplicationFailure (non-retryable) if that fails
 */
async function setUpStep({ context, signal }: Supervision, step: string): Promise<void> {
  const { environment, handle, checksFolder } = context;
  const from = checksFolder === null ? null : join(checksFolder, step, 'workdir');
  if (from === null || !existsSync(from)) return;
  await environment.place?.(handle, { from, to: handle.workspace });
  if (!existsSync(join(from, 'setup.sh'))) return;
  const command = 'if command -v bash >/dev/null; then bash setup.sh; else sh setup.sh; fi';
  const result = await environment.exec(handle, {
    command,
    env: {},
    timeoutSecs: STEP_SETUP_SECS,
    keepBackground: true,
    signal,
  });
  if (result.exitCode === 0) return;
  const why = describeEnd(result, STEP_SETUP_SECS);
  throw ApplicationFailure.nonRetryable(`${step}/workdir/setup.sh failed (${why})`, 'SetupFailed');
}

/** Id of the session of the earlier starts if the agent can resume it; else null. */
async function sessionToResume(context: RunPlaces & RunSecrets, start: number): Promise<string | null> {
  const { agent, environment, handle } = context;
  if (agent.resume === null || (await environment.lookInside(handle, '.')).kind !== 'directory') return null;
  const before = lastSession(await agentOutputs(context, start - 1));
  return before.length === 0 ? null : sessionOf(context, before);
}

/** @throws ApplicationFailure (non-retryable) if the work of the turns before is gone with the run's machine */
async function assertWorkKept({ environment, handle }: RunPlaces): Promise<void> {
  if (sharesHost(handle) || (await environment.lookInside(handle, '.')).kind === 'directory') return;
  throw ApplicationFailure.nonRetryable(
    'the workspace is gone, and with it the work of the turns before',
    'WorkspaceGone',
  );
}

/**
 * Waits for the agent to end. If the run is cancelled, stops the agent; its output is read as usual, since it was paid
 * for. Any other reason to stop leaves the agent to the next attempt.
 */
async function follow({ context, signal, watch }: Supervision, start: number): Promise<ProcessState> {
  const { environment, handle, state } = context;
  const { stdout, growth, resumes, folder } = startFiles(handle, start);
  const earlier = await agentOutputs(context, start - 1);
  const resumed = continuesSession(context.agent, { resumed: existsSync(resumes) });
  // Handlers are attached from here on: an unhandled rejection would end the worker.
  const end = environment.inspect(handle, start, signal);
  const beside = Promise.all([
    recordTimeline(stdout, growth, end),
    // The disk of a container cannot be watched from here.
    sharesHost(handle) ? watchDisk(stateFolderOf({ state }), folder, end) : null,
    watch({ start, earlier, resumed }, end, (reason) => environment.kill(handle, { start, reason })),
  ]);
  beside.catch(() => undefined); // rethrown below, when the agent has ended
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
