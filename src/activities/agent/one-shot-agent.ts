import { type Classified, createContradictionFinder, createEndTracker, isUnexplained } from '#agents';
import { type Environment, sharesHost, startFolder } from '#environments';
import { findExecutable, supervisorErrors } from '#host';
import { createPricer, createUsageMeter, type JudgeAnswer, type OutputProblems, outputWarnings, wrongOf } from '#model';
import type { Plan } from '#scenario';
import { incompleteAnswer } from './session-log.js';
import { type PlannedLaunch, programIn, uuidOf } from './launch.js';
import { agentOutput, LOST_EXIT_CODE } from './outputs.js';
import { usageOfStart } from './usage.js';
import { stderrTail } from './summarize-output.js';
import { copyCredentials, syncCredentials } from '../credentials/login-files.js';
import type { AgentInPlace } from '../run/run-paths.js';
import type { RunPlaces } from '../run/context.js';

/**
 * Answer of an agent in one start. `problem`: why it cannot be used, whatever the text says; null if the agent
 * completed.
 */
export type OneShotAnswer = Pick<
  JudgeAnswer,
  'model_used' | 'finish_reason' | 'usage' | 'wrong' | 'problem' | 'text'
> & {
  start: number;
};

/** Plans the start of an agent that is asked a single question. */
export function planQuestion(placed: AgentInPlace, prompt: string, start: number): PlannedLaunch {
  const { agent, model, access, handle, home, config, baseEnv } = placed;
  const launch = agent.launch({
    prompt,
    model,
    access,
    home,
    config,
    workspace: handle.workspace,
    sessionId: uuidOf(`${handle.mark}/${start}`),
    maxTurns: null,
    system: null,
    mock: null,
    hasNode: sharesHost(handle),
  });
  const env = { ...baseEnv, ...launch.env };
  const name = programIn(launch);
  // A container is created when the agent is started. If it lacks the program, the agent's exit shows that.
  return { launch, env, program: sharesHost(handle) ? findExecutable(name, env['PATH']) : name };
}

/** Starts the agent in empty folders, where nothing of earlier starts is left. */
export async function startOneShot(
  environment: Environment,
  placed: AgentInPlace,
  { launch, env }: PlannedLaunch,
  start: number,
  deadlineSecs: number,
): Promise<void> {
  const { handle } = placed;
  await environment.dispose(handle);
  await environment.prepare(handle, { fixture: null, files: {}, programs: {} }, () => Promise.resolve());
  const files = [...launch.files, ...(await copyCredentials(placed, start))];
  const { argv, stdin } = launch;
  await environment.start(handle, { start, argv, env, stdin, files, deadlineSecs, idleSecs: null });
}

/**
 * Reads the answer of an ended start, how it ended, what it cost in US dollars (null if unknown), and the invalid
 * lines of its output (null if the output is in another form than our events).
 * @throws Error if the start left no output
 */
export async function readStart(
  { environment, plan }: Pick<RunPlaces, 'environment'> & { plan: Pick<Plan, 'prices'> },
  placed: AgentInPlace,
  start: number,
): Promise<{
  answer: OneShotAnswer;
  ending: Classified;
  costUsd: number | null;
  problems: OutputProblems | null;
}> {
  const { agent, model, handle } = placed;
  await syncCredentials(environment, placed, start);
  const output = await agentOutput({ environment, handle }, start);
  if (output === null) {
    const errors = await supervisorErrors(startFolder(handle, start));
    throw new Error(`start ${start} of the agent left no output${errors}`);
  }
  const meter = createUsageMeter(model, await createPricer(plan.prices), agent);
  const end = createEndTracker();
  const contradictions = createContradictionFinder(agent.parser());
  let text = '';
  let model_used: string | null = null;
  let session: string | null = null;
  const { usage, problems } = await usageOfStart(agent, output, meter, (event) => {
    end.add(event);
    contradictions.add(event);
    if (event.type === 'message' && event.role === 'assistant') text = event.text;
    if (event.type === 'session') model_used = event.model_used ?? model_used;
    if (event.type === 'session') session = event.session_id ?? session;
  });
  const incomplete = await incompleteAnswer(placed, environment, session);
  if (incomplete !== null && isUnexplained(end.read())) end.add(incomplete);
  const ending = agent.classify({
    exitCode: output.exitCode ?? LOST_EXIT_CODE,
    stopped: output.stopped,
    at: output.endedAt,
    printedAt: output.printedAt,
    stderr: stderrTail(output.stderr),
    ...end.read(),
  });
  const [contradiction] = contradictions.end(output);
  const problem =
    ending.ending !== 'done'
      ? `the agent did not complete: ${ending.message}`
      : problems?.unread === true
        ? `the agent's answer could not be read: ${outputWarnings(problems)[0] ?? ''}`
        : contradiction === undefined
          ? null
          : `the agent's output contradicts itself: ${contradiction.message}`;
  const answer = {
    model_used,
    finish_reason: ending.ending,
    usage: usage.token_usage,
    problem,
    text,
    start,
    ...wrongOf(problems === null ? [] : outputWarnings(problems)),
  };
  return { answer, ending, costUsd: agent.free ? 0 : usage.cost_usd, problems };
}
