import { gateSubject } from '../../gates/index.js';
import type { CommandRecord } from '../../results/run-record.js';
import type { Judgment } from '../../results/judgment.js';
import type { EvaluatorResult, GateDetail } from '../../results/schema.js';
import { STEPS, type ReportInput } from '../../workflows/protocol.js';
import type { AgentStep } from '../agent/digest-output.js';
import { judgeArtifacts, readAnswers } from '../judge/answers.js';
import { judgeUsage } from '../judge/usage.js';
import { readStep, type Manifest } from '../step/publish-step.js';
import { readAgentSteps } from '../agent/agent-steps.js';
import type { RunContext } from '../step/run-context.js';
import type { ContextStep } from '../agent/context-message.js';
import type { Prepared } from '../prepare/build-workspace.js';

/** What the steps of a run left; null for one that was not performed. */
export interface Found {
  prepared: Manifest<Prepared> | null;
  contexts: (Manifest<ContextStep> | null)[];
  /** Each time that the agent was run: again where its provider had not served it. */
  agents: Manifest<AgentStep>[];
  /** The last of them, which counts. */
  agent: Manifest<AgentStep> | null;
  posts: (Manifest<CommandRecord> | null)[];
  gates: (Manifest<GateDetail> | null)[];
  evaluators: (Manifest<EvaluatorResult> | null)[];
  judge: Manifest<Judgment> | null;
  /** US dollars for all that it answered, usable or not; 0 when it was not asked. */
  judgeCost: number | null;
  /** Paths of what the judge left among the artifacts. */
  judgeArtifacts: string[];
  gateDetails: GateDetail[];
}

/** Reads what every step left. A gate that could not be checked is there as an error. */
export async function collectSteps(context: RunContext, { failures }: ReportInput): Promise<Found> {
  const { scenario } = context;
  const each = <T>(
    list: readonly unknown[],
    step: (index: number) => string,
  ): Promise<(Manifest<T> | null)[]> =>
    Promise.all(list.map((_, index) => readStep<T>(context, step(index))));
  const agents = await readAgentSteps(context);
  const gates = await each<GateDetail>(scenario.evaluation.gates, STEPS.gate);
  const gateDetails = scenario.evaluation.gates.flatMap((gate, index): GateDetail[] => {
    const manifest = gates[index];
    if (manifest !== null && manifest !== undefined) return [manifest.result];
    const failure = failures.find(({ step }) => step === STEPS.gate(index));
    if (failure === undefined) return [];
    const broken = {
      status: 'error',
      passed: false,
      message: failure.message,
      detail: null,
      duration_ms: 0,
    } as const;
    return [{ index, gate_type: gate.type, name: gate.name ?? null, subject: gateSubject(gate), ...broken }];
  });
  return {
    prepared: await readStep<Prepared>(context, STEPS.prepare),
    contexts: await each<ContextStep>(scenario.task.context, STEPS.context),
    agents,
    agent: agents.at(-1) ?? null,
    posts: await each<CommandRecord>(scenario.scripts.post, STEPS.post),
    gates,
    evaluators: await each<EvaluatorResult>(scenario.scripts.evaluators, STEPS.evaluator),
    judge: await readStep<Judgment>(context, STEPS.judge),
    judgeCost: (await judgeUsage(context, await readAnswers(context))).cost_usd,
    judgeArtifacts: await judgeArtifacts(context),
    gateDetails,
  };
}
