import { containmentIn, lastStart, startFolder } from '#environments';
import { supervisorErrors } from '#host';
import { STEPS } from '#model';
import { syncCredentials } from '../credentials/login-files.js';
import type { Prepared } from '../prepare/build-workspace.js';
import { type AgentStep, nextAgentSteps } from './agent-step.js';
import { attemptsBegun } from '../step/fence.js';
import type { Manifest } from '../step/run-step-once.js';
import { allAttempts } from './attempts.js';
import { composeUnreported } from '../loop/compose-start.js';
import { summarizeOutput } from './summarize-output.js';
import { agentOutputs } from './outputs.js';
import type { LoadedRun, RunPlaces, RunSecrets } from '../run/context.js';

/**
 * Reads the agent's last start if no agent step has: the run was cancelled while its worker died, or the step failed
 * for good. What the agent printed was paid for. Returns null if the last start has been read already or has no
 * recorded end.
 */
export async function readUnreportedStart(
  context: LoadedRun,
  steps: readonly Manifest<AgentStep>[],
  prepared: Prepared | null,
  cancelled: boolean,
): Promise<Manifest<AgentStep> | null> {
  const { agent, environment, handle } = context;
  if (agent.isLoop === true)
    await composeUnreported(
      context,
      steps.map(({ result }) => result),
      cancelled,
    );
  const start = lastStart(handle);
  const before = steps.at(-1)?.result.record;
  if (prepared === null || start <= (before?.starts ?? 0)) return null;
  const end = await environment.inspect(handle, start);
  // If the run was not cancelled, the report itself stopped the agent, after its step had failed.
  if (end.state !== 'ended' || (end.stopped === 'cancel' && !cancelled)) return null;
  const next = nextAgentSteps(steps.map(({ result }) => result));
  const name = next.findLast((step) => attemptsBegun(context, step) > 0) ?? next[0] ?? STEPS.agent(1);
  const history = [
    ...(before?.history ?? []),
    ...(await allAttempts(context, name)),
    ...(await syncCredentials(context.environment, context, start)),
    `the output of start ${start} of the agent was read while writing the report`,
  ];
  const outputs = await agentOutputs(context, start);
  const step = await summarizeOutput(context, prepared.setup, outputs);
  const version = prepared.agent_version ?? null;
  const containment = await containmentIn(handle);
  const record = { ...step.record, version, containment, login: context.agent.login !== null, history };
  return {
    result: { ...step, record },
    duration_ms: record.duration_ms,
    attempt: attemptsBegun(context, name),
    at: new Date(outputs.at(-1)?.endedAt ?? 0).toISOString(),
  };
}

/** Describes how each start ended, in order; null for a start in which the agent was not started after all. */
export async function describeStarts(context: RunPlaces & RunSecrets): Promise<(string | null)[]> {
  const { environment, handle, redact } = context;
  const descriptions: (string | null)[] = [];
  for (let start = 1; start <= lastStart(handle); start++) {
    const { state } = await environment.inspect(handle, start);
    const errors = redact(await supervisorErrors(startFolder(handle, start)));
    const end = state === 'ended' ? 'ended' : `was lost without an exit status${errors}`;
    descriptions.push(state === 'none' ? null : `start ${start} of the agent ${end}`);
  }
  return descriptions;
}
