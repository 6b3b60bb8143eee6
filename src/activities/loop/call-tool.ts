import { ApplicationFailure } from '@temporalio/common';
import {
  answerOfServer,
  failedCall,
  MAX_COMMAND_SECS,
  performCall,
  readCall,
  type ServerCall,
  type ToolOutput,
  type ToolProgram,
  type ToolResult,
  withSubject,
} from '#agents';
import { sideJournal, startFiles, startFolder } from '#environments';
import { readTextIfThere, sizeOf, supervisorErrors } from '#host';
import { defined } from '#lib';
import { STEPS } from '#model';
import type { RunRef, TurnRef } from '#protocol';
import { turnSecs } from '../agent/turns.js';
import { endOfStart } from '../ask/ask-agent.js';
import { loadRun } from '../run/load-run.js';
import { withMocks } from '../run/mock-server.js';
import type { Deps } from '../step/deps.js';
import type { Fence } from '../step/fence.js';
import { heartbeating } from '../step/heartbeat.js';
import { assertRecordable } from '../step/disk-space.js';
import { runStepOnce } from '../step/run-step-once.js';
import type { LoadedRun } from '../run/context.js';
import { callsIn, readLoop, workedMs } from './conversation.js';
import { connectServers } from './servers.js';
import { showWork } from './show-work.js';

/** More output of a program is not read: it has to be in memory at once. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A call runs at most this many programs: an edit reads and writes. */
const PROGRAMS = 2;

/**
 * Performs a call that the model of the agent `loop` has asked for: call `index` (from 1) of a request. Its programs
 * run under a supervisor, like agents: the worker may die, and the next attempt adopts them.
 */
export const callTool =
  (deps: Deps) =>
  async (run: RunRef, nth: number, turn: TurnRef, number: number, index: number): Promise<true> => {
    const context = await loadRun(deps, run, { turn });
    const request = STEPS.request(STEPS.agent(nth, turn.number), number);
    await runStepOnce<ToolResult>(context, STEPS.call(request, index), (fence) =>
      heartbeating(async (signal, onProgress) => {
        const loop = await readLoop(context);
        await showWork(context, loop, nth, onProgress);
        const { requests } = loop;
        const call = requests.find(({ step }) => step === request)?.result.answer?.calls[index - 1];
        if (call === undefined)
          throw ApplicationFailure.nonRetryable(`the model asked for no call ${index}`, 'StepOrder');
        if (call.problem !== null) return failedCall('', call.problem);
        const before = requests.filter(({ step }) => step !== request);
        const first = (callsIn(before) + index - 1) * PROGRAMS + 1;
        const leftMs = turnSecs(context) * 1000 - workedMs(requests, turn.number);
        const secsFor = (secs: number): number => Math.max(1, Math.min(secs, Math.ceil(leftMs / 1000)));
        const servers = await connectServers(context, fence, signal);
        const asked = servers.tools.get(call.name);
        if (asked !== undefined) {
          const timeoutSecs = secsFor(MAX_COMMAND_SECS);
          const { server, tool } = asked;
          const stdin = JSON.stringify({ server, tool, input: call.input } satisfies ServerCall);
          const program = { ...servers.call, stdin, timeoutSecs };
          return answerOfServer(await runProgram(context, first, program, fence, signal), timeoutSecs);
        }
        const read = readCall(call.name, call.input);
        if (!read.ok) return failedCall('', read.message);
        let start = first;
        return performCall(read.call, async (program) =>
          runProgram(context, start++, { ...program, timeoutSecs: secsFor(program.timeoutSecs) }, fence, signal),
        );
      }),
    );
    return true;
  };

/** Runs a program in the workspace to its end, or adopts one that an earlier attempt has started. */
async function runProgram(
  context: LoadedRun,
  start: number,
  { argv, stdin, timeoutSecs, shown }: ToolProgram,
  fence: Fence,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { environment, agent, home, config, subject } = context;
  const handle = sideJournal(context.handle, 'calls');
  if ((await environment.inspect(handle, start)).state === 'none') {
    assertRecordable(context);
    await fence.check();
    await environment.start(handle, {
      start,
      argv,
      env: await withMocks(context, STEPS.agent(1, context.turn.number), { ...context.baseEnv, ...context.targetEnv }),
      stdin,
      files: withSubject(agent, { home, config, subject }, []),
      ...defined({ shown }),
      deadlineSecs: timeoutSecs,
      idleSecs: null,
    });
  }
  const end = await endOfStart(context, handle, start, signal);
  const { stdout, stderr } = startFiles(handle, start);
  const bytes = sizeOf(stdout);
  const output = {
    stdout:
      bytes > MAX_BYTES ? `(${bytes} bytes, which are too many to be read)` : ((await readTextIfThere(stdout)) ?? ''),
    stderr: (await readTextIfThere(stderr)) ?? '',
    ...(bytes > MAX_BYTES ? { tooLarge: true as const } : {}),
  };
  if (end.state === 'ended') return { ...output, exitCode: end.exitCode, stopped: end.stopped !== null };
  signal.throwIfAborted();
  // Nobody knows how far it came, so it is not run again: the model decides.
  const errors = context.redact(await supervisorErrors(startFolder(handle, start)));
  return {
    ...output,
    stderr: `the program was lost${errors}`,
    stdout: `${output.stdout}\n(lost: its machine or supervisor was killed)`,
    exitCode: 137,
    stopped: true,
  };
}
