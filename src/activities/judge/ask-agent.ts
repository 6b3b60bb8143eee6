import { mkdir } from 'node:fs/promises';
import type { AgentEnd, Classified } from '../../agents/agent.js';
import type { ProcessHandle, ProcessState } from '../../environments/environment.js';
import { findExecutable } from '../../platform/find-executable.js';
import { ModelFailed } from '../../platform/model-errors.js';
import { createPricer } from '../../results/cost.js';
import type { JudgeAnswer } from '../../results/judgment.js';
import { createUsageMeter } from '../../results/usage-meter.js';
import { lendLogin, returnLogin } from '../agent/login-files.js';
import { uuidOf, writeLaunchFiles, type PlannedLaunch } from '../agent/launch.js';
import { agentOutput, allEventsOf, lastStart, LOST } from '../agent/outputs.js';
import { stderrTail } from '../agent/digest-output.js';
import type { Fence } from '../step/fence.js';
import { wasCancelled } from '../step/heartbeat.js';
import type { JudgeAgent, RunContext } from '../step/run-context.js';

/** What an agent is to be asked. */
export interface AgentQuestion {
  agent: JudgeAgent;
  prompt: string;
  timeoutSecs: number;
  /** The last start whose output has been taken; 0 where none has. */
  taken: number;
}

/** What an agent said in one start. `problem`: why that is no answer, whatever it says; null where it completed. */
export type AgentSaid = Pick<JudgeAnswer, 'model_used' | 'finish_reason' | 'usage' | 'problem' | 'text'> & {
  start: number;
};

/**
 * Asks an agent once, in an empty folder of its own. One that an earlier attempt has started is adopted, and the output
 * of one that has completed since is taken: it is paid for.
 * @throws ModelFailed, or the signal's reason when that aborts.
 */
export async function askAgent(
  context: RunContext,
  question: AgentQuestion,
  fence: Fence,
  signal: AbortSignal,
): Promise<AgentSaid> {
  const { environment } = context;
  const { agent, taken, timeoutSecs } = question;
  const last = await lastStart(agent.handle.root);
  const before = await environment.inspect(environment.process(agent.handle, last));
  if (before.state === 'ended' && last > taken) {
    const { said, ending } = await readStart(context, agent, last);
    if (ending.ending === 'done') return said;
  }
  const alive = before.state === 'running' || before.state === 'starting';
  const start = alive ? last : last + 1;
  if (!alive) await startAgent(context, question, start, fence);
  const end = await follow(context, environment.process(agent.handle, start), signal);
  // Given up as early as one that is too slow: each start may cost money.
  if (end.state !== 'ended') throw new ModelFailed('timeout', 'the agent was lost without an exit status');
  await environment.quell(agent.handle);
  const { said, ending } = await readStart(context, agent, start);
  const failure = failureOf(ending, timeoutSecs);
  if (failure !== null) throw failure;
  return said;
}

/** How a judge is started. */
export async function planJudge(judge: JudgeAgent, prompt: string, start: number): Promise<PlannedLaunch> {
  const { agent, model, access, handle, home, config, baseEnv } = judge;
  const launch = agent.launch({
    ...{ prompt, model, access, home, config, workspace: handle.workspace },
    sessionId: uuidOf(`${handle.mark}/${start}`),
    ...{ maxTurns: null, system: null, mock: null },
  });
  const env = { ...baseEnv, ...launch.env };
  return { launch, env, program: await findExecutable(launch.argv[0] ?? '', env['PATH']) };
}

/** Starts the judge where nothing of the starts before is left: each is a vote of its own. */
async function startAgent(
  { environment }: RunContext,
  { agent: judge, prompt, timeoutSecs }: AgentQuestion,
  start: number,
  fence: Fence,
): Promise<void> {
  const { handle, home, config, temporary, binaries } = judge;
  const { launch, env, program } = await planJudge(judge, prompt, start);
  const { argv, stdin } = launch;
  if (program === null) throw new ModelFailed('refused', `'${argv[0] ?? ''}' was not found; install it`);
  await fence.check();
  await environment.dispose(handle);
  for (const folder of [handle.workspace, home, config, temporary, binaries])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  await lendLogin(judge, start);
  await writeLaunchFiles(launch);
  try {
    await environment.start(handle, { start, argv, env, stdin, deadlineSecs: timeoutSecs, idleSecs: null });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'E2BIG') throw error;
    throw new ModelFailed(
      'refused',
      'the question is too long for an argument; use prompt = "stdin" or "file"',
    );
  }
}

/** Waits for the end. A cancelled judge is ended; any other reason to stop leaves it to the next attempt. */
async function follow(
  { environment }: RunContext,
  process: ProcessHandle,
  signal: AbortSignal,
): Promise<ProcessState> {
  try {
    return await environment.attach(process, signal);
  } catch (error) {
    if (wasCancelled()) await environment.kill(process, 'cancel');
    throw error;
  }
}

/** What a start said, and how it ended. */
async function readStart(
  { environment, prices }: RunContext,
  judge: JudgeAgent,
  start: number,
): Promise<{ said: AgentSaid; ending: Classified }> {
  const { agent, model, handle } = judge;
  await returnLogin(judge, start);
  const output = await agentOutput({ environment, handle }, start);
  if (output === null) throw new Error(`start ${start} of the judge left nothing to read`);
  const meter = createUsageMeter(model, await createPricer(prices));
  const told: Pick<AgentEnd, 'result' | 'error'> = { result: null, error: null };
  let text = '';
  let model_used: string | null = null;
  for await (const event of allEventsOf(agent, output)) {
    meter.add(event);
    if (event.type === 'message' && event.role === 'assistant') text = event.text;
    if (event.type === 'session') model_used = event.model_used ?? model_used;
    if (event.type === 'result') told.result = event;
    if (event.type === 'error') told.error = event;
  }
  const ending = agent.classify({
    exitCode: output.exitCode ?? LOST,
    ...{ stopped: output.stopped, at: output.endedAt, stderr: await stderrTail(output.stderr) },
    ...told,
  });
  const problem = ending.ending === 'done' ? null : `the agent did not complete: ${ending.message}`;
  const { tokens: usage } = meter.read();
  return { said: { model_used, finish_reason: ending.ending, usage, problem, text, start }, ending };
}

/** An end that says nothing of the answer; null where the agent has had its say. */
function failureOf({ ending, message, again }: Classified, timeoutSecs: number): ModelFailed | null {
  if (ending === 'timeout') return new ModelFailed('timeout', `gave no answer within ${timeoutSecs} s`);
  if (again !== null) {
    const kind = again.why === 'limit' ? 'rate_limited' : 'unavailable';
    return new ModelFailed(
      kind,
      message,
      null,
      again.at === null ? null : Math.max(0, again.at - Date.now()),
    );
  }
  return ending === 'unable' ? new ModelFailed('refused', message) : null;
}
