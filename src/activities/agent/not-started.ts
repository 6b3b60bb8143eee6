import { type AgentRecord, NO_USAGE } from '#model';
import type { RunContext } from '../step/run-context.js';
import type { AgentStep } from './agent-step.js';

/** The result of a step in which the agent was not started, because it could not work. */
export function notStarted(context: RunContext, reason: string): AgentStep {
  const record: AgentRecord = {
    ending: 'unable',
    completed: false,
    exit_code: null,
    message: context.redact(`agent ${context.run.cell.agent}: ${reason}`),
    version: null,
    containment: null,
    login: false,
    session_id: null,
    model_used: null,
    duration_ms: 0,
    starts: 0,
    output_bytes: 0,
    token_usage: NO_USAGE,
    cost_usd: null,
    cost_source: null,
    history: [],
  };
  return { record, efficiency: null, trajectory: null, again: null };
}
