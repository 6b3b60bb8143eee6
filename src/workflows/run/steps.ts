import { CancelledFailure } from '@temporalio/workflow';
import { assertNever } from '../../lib/assert-never.js';
import { nameSteps } from '../../results/step-names.js';
import { judgeSkipReason } from '../../results/judge-skip-reason.js';
import { STEPS, type AgentSummary, type RunPlan, type RunRef, type PlannedStep } from '../protocol.js';
import { activities, within } from './options.js';
import type { Performer } from './perform.js';

/** Performs the agent step. */
type RunAgent = (step: Extract<PlannedStep, { kind: 'agent' }>) => Promise<AgentSummary | null>;

/**
 * Performs the steps of a scenario in order. If a step before the agent fails, the agent is not started. Returns how
 * the agent ended; null if it did not work, in which case nothing is checked.
 */
export async function performSteps(
  { perform, failures }: Performer,
  run: RunRef,
  steps: readonly PlannedStep[],
  runAgent: RunAgent,
): Promise<AgentSummary | null> {
  let agent: AgentSummary | null = null;
  for (const { step, name, label, index, isAfterAgent } of nameSteps(steps)) {
    switch (step.kind) {
      case 'script': {
        const planned = { step: name, title: `${label} ${step.subject}`, ...within(step.timeoutSecs) };
        const given = await perform(planned, (options) =>
          activities.runContextScript.executeWithOptions(options, [run, index]),
        );
        if (given === null || given.unfit !== null) return null;
        break;
      }
      case 'agent': {
        agent = await runAgent(step);
        if (agent?.ending === 'cancelled') throw new CancelledFailure('the run was cancelled');
        if (agent === null || agent.ending === 'unable') return null;
        break;
      }
      case 'command': {
        const planned = { step: name, title: `${label} ${step.subject}`, ...within(step.timeoutSecs) };
        await perform(planned, (options) =>
          activities.runPostScript.executeWithOptions(options, [run, index]),
        );
        if (!isAfterAgent && failures.some((failure) => failure.step === name)) return null;
        break;
      }
      default:
        return assertNever(step);
    }
  }
  return agent;
}

/** Performs the checks of a run whose agent has worked: gates, evaluators, and the judge if it is to be asked. */
export async function performChecks(
  { perform, performEither }: Performer,
  run: RunRef,
  { gates, evaluators, judge }: Pick<RunPlan, 'gates' | 'evaluators' | 'judge'>,
  { completed }: AgentSummary,
): Promise<void> {
  let notPassed = 0;
  for (const [index, gate] of gates.entries()) {
    const title = `gate ${index + 1}/${gates.length} ${gate.type} ${gate.subject}`;
    const status = await performEither(
      { step: STEPS.gate(index), title, ...within(gate.timeoutSecs) },
      ({ checkGate }, options) => checkGate.executeWithOptions(options, [run, index]),
      gate.inProcess === true,
    );
    if (status !== 'pass') notPassed += 1;
  }
  for (const [index, evaluator] of evaluators.entries()) {
    const title = `evaluator ${index + 1}/${evaluators.length} ${evaluator.name}`;
    await perform({ step: STEPS.evaluator(index), title, ...within(evaluator.timeoutSecs) }, (options) =>
      activities.runEvaluator.executeWithOptions(options, [run, index]),
    );
  }
  if (judge === undefined) return;
  const { always, timeoutSecs } = judge;
  if (judgeSkipReason({ always, gates: gates.length, notPassed, completed }) !== null) return;
  const title = `judge ${judge.model} ${judge.rubric}`;
  await perform({ step: STEPS.judge, title, ...within(timeoutSecs) }, (options) =>
    activities.judgeRun.executeWithOptions(options, [run]),
  );
}
