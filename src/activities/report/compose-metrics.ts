import {
  agentWork,
  type AgentWork,
  compositeScore,
  type Metrics,
  NO_USAGE,
  type RunRecord,
  SCHEMA_VERSION,
} from '#model';
import { findAgentStep, gatesOf } from '#scenario';
import type { StepResults } from './collect-steps.js';
import type { RunIdentity } from '../run/context.js';

/** Composes metrics.json: what was counted and scored. */
export function composeMetrics(context: RunIdentity, record: RunRecord, found: StepResults): Metrics {
  const gates = found.gateDetails;
  const passed = gates.filter(({ status }) => status === 'pass').length;
  const total = gatesOf(context.scenario).length;
  const efficiency = found.agent?.result.efficiency ?? null;
  const { composite } = context.scenario.judgment;
  return {
    schema_version: SCHEMA_VERSION,
    run_id: record.run_id,
    outcome: record.outcome,
    completed: record.agent?.completed ?? null,
    gates_passed: passed,
    gates_total: total,
    details: gates,
    efficiency,
    agent_work: agentWorkOf(context, found),
    judge: found.judge?.result ?? null,
    // A run that could not be tested has no score.
    ...(composite === undefined || record.outcome === 'error' || record.outcome === 'cancelled'
      ? {}
      : {
          composite_score: compositeScore(composite, {
            judgeScore: found.judge?.result.weighted_score ?? null,
            gatesPassed: passed,
            gatesTotal: total,
            firstTrySuccessRate: efficiency?.first_try_success_rate ?? null,
          }),
        }),
    evaluator_results: found.evaluators.flatMap((manifest) => (manifest === null ? [] : [manifest.result])),
  };
}

/** Returns what the agent did; null if no agent takes part. */
function agentWorkOf({ scenario }: RunIdentity, { agent }: StepResults): AgentWork | null {
  if (findAgentStep(scenario) === null) return null;
  const step = agent?.result ?? null;
  const { token_usage = NO_USAGE, first_request } = step?.record ?? {};
  return agentWork(step?.trajectory ?? null, token_usage, first_request);
}
