import { supervisorSaid } from '../../platform/supervise.js';
import { STEPS } from '../../workflows/protocol.js';
import { returnLogin } from '../equip/login-files.js';
import type { Prepared } from '../prepare/build-workspace.js';
import { attemptsBegun } from '../step/fence.js';
import type { Manifest } from '../step/publish-step.js';
import type { RunContext } from '../step/run-context.js';
import { allAttempts } from './attempts.js';
import { digestOutput, type AgentStep } from './digest-output.js';
import { agentOutputs, lastStart } from './outputs.js';

/**
 * The agent's end, where no step has read it: the run was cancelled while its worker died, or the step failed for good. What
 * the agent printed was paid for. null where the last start was read, or has left no end.
 */
export async function readUnread(
  context: RunContext,
  steps: readonly Manifest<AgentStep>[],
  prepared: Prepared | null,
  cancelled: boolean,
): Promise<Manifest<AgentStep> | null> {
  const { environment, handle } = context;
  const start = lastStart(handle.root);
  const before = steps.at(-1)?.result.record;
  if (prepared === null || start <= (before?.starts ?? 0)) return null;
  const end = await environment.inspect(environment.process(handle, start));
  // Where nobody has cancelled the run, it was us who stopped the agent of a step that had failed.
  if (end.state !== 'ended' || (end.stopped === 'cancel' && !cancelled)) return null;
  const name = STEPS.agent(steps.length + 1);
  const history = [
    ...(before?.history ?? []),
    ...(await allAttempts(context, name)),
    ...(await returnLogin(context, start)),
    `start ${start} of the agent was read by the report`,
  ];
  const outputs = await agentOutputs(context, start);
  const step = await digestOutput(context, prepared.setup, outputs);
  const version = prepared.agent_version ?? null;
  const containment = await environment.containment();
  const record = { ...step.record, version, containment, login: context.agent.login !== null, history };
  return {
    result: { ...step, record },
    duration_ms: record.duration_ms,
    attempt: attemptsBegun(context, name),
    at: new Date(outputs.at(-1)?.endedAt ?? 0).toISOString(),
  };
}

/** What became of each start from the first one: null where the agent was not started after all. */
export async function fatesOfStarts(context: RunContext): Promise<(string | null)[]> {
  const { environment, handle, redact } = context;
  const fates: (string | null)[] = [];
  for (let start = 1; start <= lastStart(handle.root); start++) {
    const process = environment.process(handle, start);
    const { state } = await environment.inspect(process);
    const said = redact(await supervisorSaid(process.folder));
    const end = state === 'ended' ? 'ended' : `was lost without an exit status${said}`;
    fates.push(state === 'none' ? null : `start ${start} of the agent ${end}`);
  }
  return fates;
}
