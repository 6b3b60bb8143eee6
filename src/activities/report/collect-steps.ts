import { ApplicationFailure } from '@temporalio/common';
import { gateSubject } from '../../gates/index.js';
import type { CommandRecord } from '../../results/records/run-record.js';
import type { Judgment } from '../../results/records/judgment.js';
import type { EvaluatorResult, GateDetail } from '../../results/records/result-line.js';
import type { Check } from '../../results/verdict.js';
import { judgeSkipReason } from '../../results/judge-skip-reason.js';
import { nameSteps, STEPS, type NamedStep } from '../../results/step-names.js';
import type { Step } from '../../scenario/scenario.js';
import type { ReportInput } from '../../workflows/protocol.js';
import type { AgentStep } from '../agent/summarize-output.js';
import { judgeArtifacts, readAnswers } from '../judge/answers.js';
import { judgeUsage, type JudgeUsage } from '../judge/usage.js';
import { ALTERED, readStep, type Manifest } from '../step/run-step-once.js';
import { readAgentSteps } from '../agent/agent-steps.js';
import { fatesOfStarts, readUnread } from '../agent/unread.js';
import { attemptsBegun } from '../step/fence.js';
import type { RunContext } from '../step/run-context.js';
import { stepsOfKind } from '../step/scenario-steps.js';
import type { ContextStep } from '../agent/context-message.js';
import type { Prepared } from '../prepare/build-workspace.js';

/** What the steps of a run left; null for one that was not performed, or of which nothing can be used. */
export interface Found {
  prepared: Manifest<Prepared> | null;
  contexts: { of: NamedStep<Step>; left: Manifest<ContextStep> | null }[];
  /** How often the agent was started, and how often its step was tried. */
  starts: number;
  attempts: number;
  /** What became of starts that no step speaks of: the step that started them failed for good. */
  lostStarts: string[];
  /** Each time that the agent was run: again where its provider had not served it. */
  agents: Manifest<AgentStep>[];
  /** The last of them. */
  agent: Manifest<AgentStep> | null;
  /** The last that a step speaks of, by which the run is judged. */
  performed: Manifest<AgentStep> | null;
  /** The scenario's own commands. */
  commands: { of: NamedStep<Step>; left: Manifest<CommandRecord> | null }[];
  gates: (Manifest<GateDetail> | null)[];
  evaluators: (Manifest<EvaluatorResult> | null)[];
  judge: Manifest<Judgment> | null;
  /** US dollars for all that it answered, usable or not; 0 when it was not asked. */
  judgeCost: Omit<JudgeUsage, 'usage'>;
  /** Paths of what the judge left among the artifacts. */
  judgeArtifacts: string[];
  /** A gate that was due and left nothing is there as an error. */
  gateDetails: GateDetail[];
  /** Why the run cannot be tested; null where it can. */
  unfit: string | null;
  /** Everything that the plan wants of this run, whatever was found of it. */
  checks: Check[];
  /** Why steps that failed or were due left nothing that can be used, by their names. */
  lacking: ReadonlyMap<string, string>;
}

/**
 * Reads what every step left, and sets it against what the plan wants. `stop` ends what still lives of the run: only then
 * are starts of the agent read that no step speaks of, and what a step leaves because it was ended so no longer counts.
 */
export async function collectSteps(
  context: RunContext,
  { failures, cancelled }: ReportInput,
  stop: () => Promise<void>,
): Promise<Found> {
  const { scenario } = context;
  const altered = new Set<string>();
  const read = async <T>(step: string): Promise<Manifest<T> | null> => {
    try {
      return await readStep<T>(context, step);
    } catch (error) {
      if (!isAltered(error)) throw error;
      altered.add(step);
      return null;
    }
  };
  const each = <T>(
    list: readonly unknown[],
    step: (index: number) => string,
  ): Promise<(Manifest<T> | null)[]> => Promise.all(list.map((_, index) => read<T>(step(index))));

  const prepared = await read<Prepared>(STEPS.prepare);
  const published = await readAgentSteps(context, read);
  const all = async <T>(kind: Step['kind']): Promise<{ of: NamedStep<Step>; left: Manifest<T> | null }[]> =>
    Promise.all(stepsOfKind(scenario, kind).map(async (of) => ({ of, left: await read<T>(of.name) })));
  const contexts = await all<ContextStep>('script');
  const commands = await all<CommandRecord>('command');
  const gates = await each<GateDetail>(scenario.checks.gates, STEPS.gate);
  const evaluators = await each<EvaluatorResult>(scenario.checks.evaluators, STEPS.evaluator);
  const judge = await read<Judgment>(STEPS.judge);
  await stop();
  const unread = await readUnread(context, published, prepared?.result ?? null, cancelled).catch(
    () => null, // it may be why its step has failed
  );
  const agents = [...published, ...(unread === null ? [] : [unread])];
  const fates = await fatesOfStarts(context);
  const runs = Array.from({ length: published.length + 1 }, (_, index) => STEPS.agent(index + 1));
  const steps = {
    prepared,
    starts: fates.filter((fate) => fate !== null).length,
    attempts: runs.reduce((sum, step) => sum + attemptsBegun(context, step), 0),
    lostStarts: fates.slice(agents.at(-1)?.result.record.starts ?? 0).filter((fate) => fate !== null),
    contexts,
    agents,
    agent: agents.at(-1) ?? null,
    // A start that no step speaks of is read for its cost, and decides nothing.
    performed: published.at(-1) ?? null,
    commands,
    gates,
    evaluators,
    judge,
    judgeCost: await judgeCost(context),
    judgeArtifacts: await judgeArtifacts(context),
  };
  const unfit =
    steps.prepared?.result.unfit ??
    steps.contexts.find(({ left }) => left?.result.unfit != null)?.left?.result.unfit ??
    null;
  const why = (step: string): string | null => {
    if (altered.has(step)) return 'left a result that was altered';
    const failure = failures.find((one) => one.step === step);
    return failure === undefined ? null : `could not be performed: ${failure.message}`;
  };

  const { performed } = steps;
  const ending = performed?.result.record.ending ?? null;
  const worked = !cancelled && unfit === null && ending !== null && !/^(unable|cancelled)$/.test(ending);
  const gateDetails = scenario.checks.gates.flatMap((gate, index): GateDetail[] => {
    const manifest = steps.gates[index] ?? null;
    if (manifest !== null) return [manifest.result];
    const reason = why(STEPS.gate(index));
    if (!worked && reason === null) return [];
    const broken = { status: 'error', passed: false, detail: null, duration_ms: 0 } as const;
    return [
      {
        ...{ index, gate_type: gate.type, name: gate.name ?? null, subject: gateSubject(gate) },
        ...{ ...broken, message: reason ?? NOTHING },
      },
    ];
  });

  const checks: Check[] = [];
  const wants = (step: string, left: unknown): void =>
    void checks.push({ kind: 'step', step, left: left === null ? null : true, why: why(step) });
  if (!cancelled) {
    wants(STEPS.prepare, steps.prepared);
    // Of steps that come one after the other, those after the first that is lacking are not due.
    if (steps.prepared !== null && unfit === null) {
      const lefts = new Map([...contexts, ...commands].map(({ of, left }) => [of.name, left]));
      for (const { step, name } of nameSteps(scenario.steps)) {
        const isAgent = step.kind === 'agent';
        const left = isAgent ? performed : (lefts.get(name) ?? null);
        wants(isAgent ? STEPS.agent(Math.max(1, published.length)) : name, left);
        if (isAgent || left === null) break;
      }
    }
  }
  if (worked) {
    for (const { of, left } of commands) if (of.isAfterAgent) wants(of.name, left);
    scenario.checks.gates.forEach((_, index) => {
      const left = gateDetails.find((gate) => gate.index === index) ?? null;
      checks.push({ kind: 'gate', step: STEPS.gate(index), left, why: null });
    });
    steps.evaluators.forEach((left, index) => wants(STEPS.evaluator(index), left));
    if (steps.judge !== null || isJudgeDue(context, performed, gateDetails))
      checks.push({
        ...{ kind: 'judge', step: STEPS.judge },
        ...{ left: steps.judge?.result ?? null, why: why(STEPS.judge) },
      });
  }
  // Whatever else has failed for good or was altered is not passed over.
  const known = new Set(checks.map(({ step }) => step));
  for (const step of [...altered, ...failures.map((failure) => failure.step)])
    if (!known.has(step)) wants(step, null);

  const lacking = checks.flatMap(({ step, left, why }): [string, string][] =>
    left === null ? [[step, why ?? NOTHING]] : [],
  );
  return { ...steps, gateDetails, unfit, checks, lacking: new Map(lacking) };
}

const NOTHING = 'left no result';

/** Unknown where the answers are not as they were given: the judgment, which was made of them before, counts all the same. */
async function judgeCost(context: RunContext): Promise<Found['judgeCost']> {
  try {
    return await judgeUsage(context, await readAnswers(context));
  } catch (error) {
    if (isAltered(error)) return { cost_usd: null };
    throw error;
  }
}

const isAltered = (error: unknown): boolean => error instanceof ApplicationFailure && error.type === ALTERED;

/** Whether the plan wants this run to be judged. */
const isJudgeDue = (
  { judge, scenario }: RunContext,
  agent: Found['agent'],
  gates: readonly GateDetail[],
): boolean =>
  judge !== null &&
  judgeSkipReason({
    always: judge.always,
    gates: scenario.checks.gates.length,
    notPassed: gates.filter(({ status }) => status !== 'pass').length,
    completed: agent?.result.record.completed ?? true,
  }) === null;
