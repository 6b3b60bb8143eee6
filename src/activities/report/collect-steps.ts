import { ApplicationFailure } from '@temporalio/common';
import {
  type Check,
  type EvaluatorResult,
  type GateDetail,
  isAgentKind,
  judgeSkipReason,
  type Judgment,
  type NamedStep,
  nameSteps,
  NO_USAGE,
  STEPS,
} from '#model';
import { stopsSteps } from '#gates';
import type { ReportInput } from '#protocol';
import { findAgentStep, firstAgentStep, gatesOf, type PlacedGate, type Step } from '#scenario';
import { type AgentStep, agentStepNames, nextAgentSteps, readAgentSteps } from '../agent/agent-step.js';
import { brokenGate } from '../gate/kept-verdict.js';
import { answerArtifacts, otherCallers } from '../ask/answers.js';
import { type AskedUsage, usageOf } from '../ask/usage.js';
import { ALTERED, type Manifest, readStep } from '../step/run-step-once.js';
import { agentOutputs, discardedWork } from '../agent/outputs.js';
import { type ContextStep, lastOfTurns, turnNumber } from '../agent/turns.js';
import { type CheckedGate, collectConversation, combineTurns, type FoundConversation } from './collect-conversation.js';
import { describeStarts } from '../agent/unreported-start.js';
import { attemptsBegun } from '../step/fence.js';
import type { CommandStepResult } from '../commands/command-record.js';
import { stepsOfKind } from '../run/scenario-steps.js';
import type { ImageStep } from '../run/images.js';
import type { Prepared } from '../prepare/build-workspace.js';
import type { LoadedRun, RunAccess, RunIdentity } from '../run/context.js';

/** Results of the steps of a run; null for a step that was not performed or whose result cannot be used. */
export interface StepResults extends FoundConversation {
  /** The steps that have built images, by name. */
  images: [step: string, manifest: Manifest<ImageStep> | null][];
  prepared: Manifest<Prepared> | null;
  contexts: { of: NamedStep<Step>; manifest: Manifest<ContextStep> | null }[];
  /** The numbers of starts of the agent, and of attempts of its steps. */
  starts: number;
  attempts: number;
  /** The number of times that the agent began anew in a fresh workspace, although it had worked. */
  begunAnew: number;
  /** The ends of the starts that no step reports: the step that started them failed for good. */
  lostStarts: string[];
  /** The agent's runs, in order: it is run again if its provider did not serve it. */
  agents: Manifest<AgentStep>[];
  agent: Manifest<AgentStep> | null;
  /** The last one that a step reports. The run is judged by it. */
  performed: Manifest<AgentStep> | null;
  commands: { of: NamedStep<Step>; manifest: Manifest<CommandStepResult> | null }[];
  gates: CheckedGate[];
  evaluators: (Manifest<EvaluatorResult> | null)[];
  judge: Manifest<Judgment> | null;
  /** Cost of all its answers, usable or not, US dollars; 0 if it was not asked. */
  judgeCost: Omit<AskedUsage, 'usage'>;
  /** Numbers in answers that cannot be right. */
  answerWarnings: string[];
  /** Paths of the judge's files among the artifacts. */
  judgeArtifacts: string[];
  /** All answers that other parts of the run were given, what they used, and their files among the artifacts. */
  asked: AskedUsage & { answers: number; artifacts: string[] };
  /** Results of the gates. A gate that was due and left no result is included as an error. */
  gateDetails: GateDetail[];
  /** The reason why the run cannot be tested; null if it can. */
  unfit: string | null;
  /** Every step that the plan requires of this run, with its result if there is one. */
  checks: Check[];
  /** The reason why a step that failed or was due left no usable result, by step name. */
  lacking: ReadonlyMap<string, string>;
}

/** The steps that bring a run to its end. */
export interface Ending {
  /** Ends everything of the run that is still alive. */
  stop: () => Promise<void>;
  /** Reads the agent's last start if none of these steps reports it. */
  readUnreported: (
    steps: readonly Manifest<AgentStep>[],
    prepared: Prepared | null,
    cancelled: boolean,
  ) => Promise<Manifest<AgentStep> | null>;
}

/** The step of the agent `loop` only reads what other steps have done. */
const withWork = (step: Manifest<AgentStep>): Manifest<AgentStep> => ({
  ...step,
  duration_ms: step.result.turn?.own?.duration_ms ?? step.result.record.duration_ms,
});

/**
 * Reads the results of all steps and compares them with what the plan requires. Starts of the agent that no step
 * reports are read only after the run was stopped, while results that a step leaves because it was stopped no longer
 * count.
 */
export async function collectSteps(
  context: LoadedRun & RunAccess,
  { failures, cancelled }: ReportInput,
  { stop, readUnreported }: Ending,
): Promise<StepResults> {
  const { scenario } = context;
  const placedGates = gatesOf(scenario);
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
  const each = <T>(list: readonly unknown[], step: (index: number) => string): Promise<(Manifest<T> | null)[]> =>
    Promise.all(list.map((_, index) => read<T>(step(index))));

  const images: StepResults['images'] = [];
  for (const step of [STEPS.image, STEPS.verifierImage]) {
    const manifest = await read<ImageStep>(step);
    // The image may have been there.
    if (manifest !== null || failures.some((failure) => failure.step === step)) images.push([step, manifest]);
  }
  const prepared = await read<Prepared>(STEPS.prepare);
  const published = await readAgentSteps(context, read);
  const all = async <T>(kind: Step['kind']): Promise<{ of: NamedStep<Step>; manifest: Manifest<T> | null }[]> =>
    Promise.all(stepsOfKind(scenario, kind).map(async (of) => ({ of, manifest: await read<T>(of.name) })));
  const contexts = await all<ContextStep>('script');
  const commands = await all<CommandStepResult>('command');
  const turns = lastOfTurns(published.map(({ result }) => result));
  // Later turns never get a fresh workspace.
  const firstTurn = turns.find((turn) => turnNumber(turn) === 1);
  const gateOf = async ({ after, everyTurn }: PlacedGate, index: number): Promise<CheckedGate> => {
    const numbers = everyTurn ? turns.filter(({ turn }) => turn?.at === after).map(turnNumber) : [undefined];
    const steps = numbers.map(async (turn) => {
      const name = STEPS.gate(index, turn);
      return { name, turn: turn ?? null, manifest: await read<GateDetail>(name) };
    });
    return { after, checks: await Promise.all(steps) };
  };
  const gates = await Promise.all(placedGates.map(gateOf));
  /** Index of the step after which a gate has ended the steps: what follows is not due. */
  const lastStep = Math.min(
    ...placedGates.flatMap(({ gate, after }, index) =>
      after !== null && stopsSteps(gate) && gates[index]?.checks[0]?.manifest?.result.passed === false ? [after] : [],
    ),
    Infinity,
  );
  const isDue = ({ after }: Pick<PlacedGate, 'after'>): boolean => after === null || after <= lastStep;
  const conversation = await collectConversation(scenario, turns, read);
  const evaluators = await each<EvaluatorResult>(scenario.checks.evaluators, STEPS.evaluator);
  const judge = await read<Judgment>(STEPS.judge);
  await stop();
  const unreported = await readUnreported(published, prepared?.result ?? null, cancelled).catch(
    () => null, // reading may fail for the reason for which the step failed
  );
  const { warnings: ofJudge, ...judgeCost } = await usedBy(context, STEPS.judge);
  const { warnings: ofOthers, ...asked } = await usedBy(context, 'others');
  const agents = [...published, ...(unreported === null ? [] : [unreported])].map((step) =>
    context.agent.isLoop === true ? withWork(step) : step,
  );
  const descriptions = await describeStarts(context);
  const results = published.map(({ result }) => result);
  const runs = [...agentStepNames(results), ...nextAgentSteps(results)];
  const steps = {
    images,
    prepared,
    starts: descriptions.filter((text) => text !== null).length,
    attempts: runs.reduce((sum, step) => sum + attemptsBegun(context, step), 0),
    begunAnew: await discardedWork(context, await agentOutputs(context, firstTurn?.record.starts ?? 0)),
    lostStarts: descriptions.slice(agents.at(-1)?.result.record.starts ?? 0).filter((text) => text !== null),
    contexts,
    agents,
    agent: agents.at(-1) ?? null,
    // A start that no step reports is read for its cost and decides nothing.
    performed: published.at(-1) ?? null,
    commands,
    gates,
    ...conversation,
    evaluators,
    judge,
    judgeCost,
    answerWarnings: [...ofJudge, ...ofOthers],
    judgeArtifacts: await answerArtifacts(context, STEPS.judge),
    asked: {
      ...asked,
      artifacts: (
        await Promise.all((await otherCallers(context)).map((caller) => answerArtifacts(context, caller)))
      ).flat(),
    },
  };
  const unfit =
    steps.prepared?.result.unfit ??
    steps.contexts.find(({ manifest }) => manifest?.result.unfit != null)?.manifest?.result.unfit ??
    null;
  const why = (step: string): string | null => {
    if (altered.has(step)) return 'left a result that was modified afterwards';
    const failure = failures.find((one) => one.step === step);
    return failure === undefined ? null : `could not be performed: ${failure.message}`;
  };

  const { performed } = steps;
  const ending = performed?.result.record.ending ?? null;
  const stepsDone =
    findAgentStep(scenario) === null
      ? prepared !== null && commands.every(({ manifest }) => manifest !== null)
      : ending !== null && !/^(unable|cancelled)$/.test(ending);
  const worked = !cancelled && unfit === null && stepsDone;
  const gateDetails = placedGates.flatMap((placed, index): GateDetail[] => {
    if (!isDue(placed)) return [];
    const { gate } = placed;
    const broken = (reason: string): GateDetail => brokenGate({ gate }, index, reason);
    const details = (steps.gates[index]?.checks ?? []).flatMap(({ name, turn, manifest }) => {
      const reason = why(name);
      if (manifest !== null) return [{ turn, detail: manifest.result }];
      return worked || reason !== null ? [{ turn, detail: broken(reason ?? NOTHING) }] : [];
    });
    const combined = combineTurns(details);
    return combined === null ? (worked ? [broken(NOTHING)] : []) : [combined];
  });

  const checks: Check[] = [];
  const requireStep = (step: string, result: unknown): void =>
    void checks.push({ kind: 'step', step, result: result === null ? null : true, why: why(step) });
  if (!cancelled) {
    const unbuilt = images.filter(([, manifest]) => manifest === null);
    for (const [step] of unbuilt) requireStep(step, null);
    if (unbuilt.length === 0) requireStep(STEPS.prepare, steps.prepared);
    // The steps run in sequence: after the first one without a result, none is due.
    if (steps.prepared !== null && unfit === null) {
      const manifests = new Map([...contexts, ...commands].map(({ of, manifest }) => [of.name, manifest]));
      for (const { step, name } of nameSteps(scenario.steps)) {
        const isAgent = isAgentKind(step.kind);
        const manifest = isAgent ? performed : (manifests.get(name) ?? null);
        requireStep(isAgent ? (agentStepNames(results).at(-1) ?? STEPS.agent(1)) : name, manifest);
        if (isAgent || manifest === null) break;
      }
    }
  }
  if (worked) {
    for (const { of, manifest } of commands) if (of.isAfterAgent) requireStep(of.name, manifest);
    for (const [at, { step, name }] of nameSteps(scenario.steps).entries())
      if (isAgentKind(step.kind) && at > firstAgentStep(scenario) && at <= lastStep)
        requireStep(name, turns.find(({ turn }) => turn?.at === at) ?? null);
    placedGates.forEach((placed, index) => {
      if (!isDue(placed)) return;
      const result = gateDetails.find((gate) => gate.index === index) ?? null;
      checks.push({ kind: 'gate', step: STEPS.gate(index), result, why: null });
    });
    steps.evaluators.forEach((evaluator, index) => requireStep(STEPS.evaluator(index), evaluator));
    if (steps.judge !== null || isJudgeDue(context, performed, gateDetails))
      checks.push({
        kind: 'judge',
        step: STEPS.judge,
        result: steps.judge?.result ?? null,
        why: why(STEPS.judge),
      });
  }
  // Other steps that failed for good or were altered must not be ignored.
  const known = new Set(checks.map(({ step }) => step));
  for (const step of [...altered, ...failures.map((failure) => failure.step)])
    if (!known.has(step)) requireStep(step, null);

  const lacking = checks.flatMap(({ step, result, why }): [string, string][] =>
    result === null ? [[step, why ?? NOTHING]] : [],
  );
  return { ...steps, gateDetails, unfit, checks, lacking: new Map(lacking) };
}

const NOTHING = 'left no result';

/** Returns null as the cost if answers were altered. The verdicts still count: they were made of them before. */
async function usedBy(context: LoadedRun & RunAccess, who: Parameters<typeof usageOf>[1]): ReturnType<typeof usageOf> {
  try {
    return await usageOf(context, who);
  } catch (error) {
    if (isAltered(error)) return { answers: 0, warnings: [], usage: NO_USAGE, cost_usd: null };
    throw error;
  }
}

const isAltered = (error: unknown): boolean => error instanceof ApplicationFailure && error.type === ALTERED;

/** True if the plan requires this run to be judged. */
const isJudgeDue = (
  { judge, scenario }: RunIdentity,
  agent: StepResults['agent'],
  gates: readonly GateDetail[],
): boolean =>
  judge !== null &&
  judgeSkipReason({
    always: judge.always,
    gates: gatesOf(scenario).length,
    notPassed: gates.filter(({ status }) => status !== 'pass').length,
    completed: agent?.result.record.completed ?? true,
  }) === null;
