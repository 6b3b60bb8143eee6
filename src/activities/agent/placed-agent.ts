import { mkdir } from 'node:fs/promises';
import type { Classified } from '../../agents/agent.js';
import { createToldEnd } from '../../agents/told-end.js';
import type { Environment } from '../../environments/environment.js';
import { findExecutable } from '../../platform/find-executable.js';
import { supervisorSaid } from '../../platform/supervise.js';
import { createPricer } from '../../results/cost.js';
import type { JudgeAnswer } from '../../results/judgment.js';
import { createUsageMeter } from '../../results/usage-meter.js';
import { uuidOf, writeLaunchFiles, type PlannedLaunch } from './launch.js';
import { agentOutput, LOST } from './outputs.js';
import { usageOfStart } from './usage.js';
import { stderrTail } from './digest-output.js';
import { lendLogin, returnLogin } from '../equip/login-files.js';
import type { PlacedAgent } from '../step/places.js';
import type { RunContext } from '../step/run-context.js';

/** What an agent said in one start. `problem`: why that is no answer, whatever it says; null where it completed. */
export type AgentSaid = Pick<JudgeAnswer, 'model_used' | 'finish_reason' | 'usage' | 'problem' | 'text'> & {
  start: number;
};

/** How an agent is started that is asked one thing. */
export async function planQuestion(
  placed: PlacedAgent,
  prompt: string,
  start: number,
): Promise<PlannedLaunch> {
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
  });
  const env = { ...baseEnv, ...launch.env };
  return { launch, env, program: await findExecutable(launch.argv[0] ?? '', env['PATH']) };
}

/** Starts it in empty folders, where nothing of the starts before is left. */
export async function startPlaced(
  environment: Environment,
  placed: PlacedAgent,
  { launch, env }: PlannedLaunch,
  start: number,
  deadlineSecs: number,
): Promise<void> {
  const { handle, home, config, temporary, binaries } = placed;
  await environment.dispose(handle);
  for (const folder of [handle.workspace, home, config, temporary, binaries])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  await lendLogin(placed, start);
  await writeLaunchFiles(launch, handle.root);
  const { argv, stdin } = launch;
  await environment.start(handle, { start, argv, env, stdin, deadlineSecs, idleSecs: null });
}

/** What a start said, how it ended, and what it cost: null where nobody knows. */
export async function readStart(
  { environment, prices }: Pick<RunContext, 'environment' | 'prices'>,
  placed: PlacedAgent,
  start: number,
): Promise<{ said: AgentSaid; ending: Classified; costUsd: number | null }> {
  const { agent, model, handle } = placed;
  await returnLogin(placed, start);
  const output = await agentOutput({ environment, handle }, start);
  if (output === null) {
    const said = await supervisorSaid(environment.process(handle, start).folder);
    throw new Error(`start ${start} of the agent left nothing to read${said}`);
  }
  const meter = createUsageMeter(model, await createPricer(prices));
  const told = createToldEnd();
  let text = '';
  let model_used: string | null = null;
  const used = await usageOfStart(agent, output, meter, (event) => {
    told.add(event);
    if (event.type === 'message' && event.role === 'assistant') text = event.text;
    if (event.type === 'session') model_used = event.model_used ?? model_used;
  });
  const ending = agent.classify({
    exitCode: output.exitCode ?? LOST,
    stopped: output.stopped,
    at: output.endedAt,
    stderr: stderrTail(output.stderr),
    ...told.read(),
  });
  const problem = ending.ending === 'done' ? null : `the agent did not complete: ${ending.message}`;
  const said = { model_used, finish_reason: ending.ending, usage: used.token_usage, problem, text, start };
  return { said, ending, costUsd: agent.free ? 0 : used.cost_usd };
}
