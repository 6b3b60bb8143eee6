import { lastStart } from '#environments';
import { type AgentStep, notStarted, readAgentSteps } from './agent-step.js';
import type { LoadedRun, RunAccess } from '../run/context.js';

/**
 * Returns the result of a step that does not start the agent, because another run has reached the limit of its account;
 * null if the agent may be started, or has been. `nth`: as for `runAgent`.
 */
export async function heldBack(context: LoadedRun & RunAccess, nth: number): Promise<AgentStep | null> {
  const { account, handle, limits } = context;
  const last = (await readAgentSteps(context)).at(-1)?.result ?? null;
  // A conversation that has begun is continued.
  if (limits === null || account === null || (nth === 1 && last !== null)) return null;
  if (lastStart(handle) > (last?.record.starts ?? 0)) return null;
  const until = await limits.admit(account, last?.again?.at ?? null);
  if (until === null) return null;
  const reason = `not started: ${account} has reached its limit until ${new Date(until).toISOString()}`;
  const again = { why: 'limit', at: until } as const;
  const step = notStarted(context, reason);
  if (last === null) return { ...step, record: { ...step.record, cost_usd: 0 }, again, held: true };
  const { message, history } = last.record;
  return {
    ...last,
    record: {
      ...last.record,
      message: step.record.message,
      history: [...history, `agent run ${nth - 1} ended: ${message}`],
    },
    again,
    held: true,
  };
}

/** Tells other runs, sweeps and hosts if the agent has reached the limit of its account. Returns the step. */
export async function noteLimit(
  { account, limits }: Pick<RunAccess, 'account' | 'limits'>,
  step: AgentStep,
): Promise<AgentStep> {
  if (account !== null && step.again?.why === 'limit') await limits?.note(account, step.again.at);
  return step;
}
