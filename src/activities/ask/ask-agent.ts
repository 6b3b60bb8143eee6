import { join } from 'node:path';
import type { Classified } from '#agents';
import { type EnvironmentHandle, lastStart, type ProcessState, startFolder } from '#environments';
import { ModelFailed, readTextIfThere, supervisorErrors, writeFileAtomic } from '#host';
import type { Fence } from '../step/fence.js';
import { wasCancelled } from '../step/heartbeat.js';
import { programIn } from '../agent/launch.js';
import { type OneShotAnswer, planQuestion, readStart, startOneShot } from '../agent/one-shot-agent.js';
import type { AgentInPlace } from '../run/run-paths.js';
import type { RunIdentity, RunPlaces } from '../run/context.js';

export interface AgentQuestion {
  agent: AgentInPlace;
  /** The part of the run that asks: the judge, a gate, ... */
  caller: string;
  prompt: string;
  timeoutSecs: number;
  /** The last start whose output this caller has used; 0 if there is none. */
  taken: number;
}

/** All callers share one place. Each start has a note that says who asked. */
const callerFile = ({ state }: AgentInPlace, start: number): string => join(state, 'callers', String(start));

/** Returns the step that asked the agent in one of its starts; null if that was not noted. */
export const callerOfStart = (agent: AgentInPlace, start: number): Promise<string | null> =>
  readTextIfThere(callerFile(agent, start));

/**
 * Asks an agent once, in an empty folder of its own. Adopts an agent that an earlier attempt has started, and takes the
 * output of one that has completed since: it is paid for.
 * @throws ModelFailed, or the signal's reason if it aborts
 */
export async function callAgent(
  context: RunIdentity & RunPlaces,
  question: AgentQuestion,
  fence: Fence,
  signal: AbortSignal,
): Promise<OneShotAnswer> {
  const { environment } = context;
  const { agent, caller, taken, timeoutSecs } = question;
  const last = lastStart(agent.handle);
  const isOurs = last > 0 && (await callerOfStart(agent, last)) === caller;
  const before = await environment.inspect(agent.handle, last);
  if (before.state === 'ended' && isOurs && last > taken) {
    const { answer, ending } = await readStart(context, agent, last);
    if (ending.ending === 'done') return answer;
  }
  const alive = before.state === 'running' || before.state === 'starting';
  const adopted = alive && isOurs;
  // An agent that another caller started, and gave up, is in the way.
  if (alive && !adopted) await environment.kill(agent.handle, 'everything');
  const start = adopted ? last : last + 1;
  if (!adopted) await startAgent(context, question, start, fence);
  const end = await endOfStart(context, agent.handle, start, signal);
  // Treated like a timeout, which is given up early: each start may cost money.
  if (end.state !== 'ended') {
    const errors = await supervisorErrors(startFolder(agent.handle, start));
    throw new ModelFailed('timeout', `the agent was lost without an exit status${errors}`);
  }
  // Another attempt may have started the next agent by now.
  await fence.check();
  await environment.kill(agent.handle, 'everything');
  const { answer, ending } = await readStart(context, agent, start);
  const failure = failureOf(ending, timeoutSecs);
  if (failure !== null) throw failure;
  return answer;
}

/** Starts the agent where nothing of earlier starts is left: each answer is independent. */
async function startAgent(
  { environment }: RunPlaces,
  { agent, caller, prompt, timeoutSecs }: AgentQuestion,
  start: number,
  fence: Fence,
): Promise<void> {
  const planned = planQuestion(agent, prompt, start);
  if (planned.program === null)
    throw new ModelFailed('refused', `'${programIn(planned.launch)}' was not found; install it`);
  await fence.check();
  await writeFileAtomic(callerFile(agent, start), caller, 0o600);
  try {
    await startOneShot(environment, agent, planned, start, timeoutSecs);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'E2BIG') throw error;
    throw new ModelFailed('refused', 'the question is too long for an argument; use prompt = "stdin" or "file"');
  }
}

/**
 * Waits for a start to end. Stops it if the run is cancelled; any other reason to stop leaves it to the next attempt.
 */
export async function endOfStart(
  { environment }: Pick<RunPlaces, 'environment'>,
  handle: EnvironmentHandle,
  start: number,
  signal: AbortSignal,
): Promise<ProcessState> {
  try {
    return await environment.inspect(handle, start, signal);
  } catch (error) {
    if (wasCancelled()) await environment.kill(handle, { start, reason: 'cancel' });
    throw error;
  }
}

/** Returns a failure if the way the agent ended says nothing about an answer; null if the agent has answered. */
function failureOf({ ending, message, again }: Classified, timeoutSecs: number): ModelFailed | null {
  if (ending === 'timeout') return new ModelFailed('timeout', `gave no answer within ${timeoutSecs} s`);
  // Each start may cost money, so it is not repeated without end.
  if (again?.why === 'killed') return new ModelFailed('timeout', message);
  if (again !== null) {
    const kind = again.isMisled === true ? 'unreadable' : again.why === 'limit' ? 'rate_limited' : 'unavailable';
    return new ModelFailed(kind, message, null, again.at === null ? null : Math.max(0, again.at - Date.now()));
  }
  return ending === 'unable' ? new ModelFailed('refused', message) : null;
}
