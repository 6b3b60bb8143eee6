import type { Activities } from '#activities';
import { assertNever } from '#lib/pure';
import { judgeSkipReason, nameSteps, STEPS } from '#model/pure';
import {
  gateActivity,
  type GateEnd,
  gateEndIn,
  type GateStatus,
  type JudgeBrief,
  type KeptSteps,
  type PlannedGate,
  type RunPlan,
  type RunRef,
} from '#protocol';
import type { RunAgent } from './agent-runs.js';
import { converse, unlessCancelled } from './converse.js';
import { activities, gatesInProcess, inProcess, within, type StepOptions } from './options.js';
import type { Performer } from './perform.js';

/** The facts about the steps and their gates that the checks after all steps need. */
interface StepsDone {
  /** False if the agent did not complete. */
  completed: boolean;
  /** Number of gates that did not pass. */
  notPassed: number;
}

/**
 * Performs the steps of a scenario in order, each with its own gates. If a step before the agent fails, the agent is
 * not started. Returns null if the agent did not work or a step before it failed; then nothing else is checked.
 */
export async function performSteps(
  performer: Performer,
  run: RunRef,
  plan: RunPlan,
  runAgent: RunAgent,
): Promise<StepsDone | null> {
  if (plan.kept !== undefined) return checkKeptSteps(performer, run, plan, plan.kept);
  const { perform, failures } = performer;
  let completed = true;
  let notPassed = 0;
  let turns = 0;
  for (const [at, { step, name, label, index, isAfterAgent }] of nameSteps(plan.steps).entries()) {
    switch (step.kind) {
      case 'script': {
        const planned = { step: name, title: `${label}: ${step.subject}`, ...within(step.timeoutSecs) };
        const given = await perform(planned, (options) =>
          activities.runContextScript.executeWithOptions(options, [run, index]),
        );
        if (given === null || given.unfit !== null) return null;
        break;
      }
      case 'agent': {
        const agent = unlessCancelled(await runAgent(step, { number: ++turns, at }));
        if (agent === null || agent.ending === 'unable') return null;
        completed = agent.completed;
        break;
      }
      case 'conversation': {
        const done = await converse(performer, run, { step, at, turns }, runAgent, (turn) =>
          performGates(performer, run, plan.gates, at, turn),
        );
        if (done === null) return null;
        ({ completed, turns } = done);
        notPassed += done.notPassed;
        break;
      }
      case 'command': {
        const planned = { step: name, title: `${label}: ${step.subject}`, ...within(step.timeoutSecs) };
        await perform(planned, (options) => activities.runPostScript.executeWithOptions(options, [run, index]));
        if (!isAfterAgent && failures.some((failure) => failure.step === name)) return null;
        break;
      }
      default:
        return assertNever(step);
    }
    const ended = await checkGates(performer, run, plan.gates, at);
    notPassed += ended.notPassed;
    if (ended.stops) break;
  }
  return { completed, notPassed };
}

/** Checks the gates of steps that an earlier run has performed. */
async function checkKeptSteps(
  performer: Performer,
  run: RunRef,
  { gates }: Pick<RunPlan, 'gates'>,
  { completed, turns }: KeptSteps,
): Promise<StepsDone> {
  let notPassed = 0;
  for (const [at, numbers] of turns.entries()) {
    for (const turn of numbers) notPassed += await performGates(performer, run, gates, at, turn);
    notPassed += await performGates(performer, run, gates, at);
  }
  return { completed, notPassed };
}

/**
 * Checks the gates after all steps, then performs the evaluators, and asks the judge if there is one.
 */
export async function performChecks(
  performer: Performer,
  run: RunRef,
  { gates, evaluators, judge }: Pick<RunPlan, 'gates' | 'evaluators' | 'judge'>,
  done: StepsDone,
): Promise<void> {
  const { perform } = performer;
  const notPassed = done.notPassed + (await performGates(performer, run, gates));
  for (const [index, evaluator] of evaluators.entries()) {
    const title = `evaluator ${index + 1} of ${evaluators.length}: ${evaluator.name}`;
    await perform({ step: STEPS.evaluator(index), title, ...within(evaluator.timeoutSecs) }, (options) =>
      activities.runEvaluator.executeWithOptions(options, [run, index]),
    );
  }
  if (judge === undefined) return;
  const { always, timeoutSecs } = judge;
  if (judgeSkipReason({ always, gates: gates.length, notPassed, completed: done.completed }) !== null) return;
  const title = `judge ${judge.model} ${judge.rubric}`;
  const complaint = ({ passed, score }: JudgeBrief): string | null =>
    passed ? null : `its score of ${score} is too low`;
  await perform({ step: STEPS.judge, title, complaint, ...within(timeoutSecs) }, (options) =>
    activities.judgeRun.executeWithOptions(options, [run]),
  );
}

/**
 * Checks the gates of a step, those after a turn of it, or those after all steps. Returns how many of them did not
 * pass.
 */
const performGates = async (...args: Parameters<typeof checkGates>): Promise<number> =>
  (await checkGates(...args)).notPassed;

/** The same. `stops`: whether one of those that did not pass ends the steps. */
async function checkGates(
  { performEither }: Performer,
  run: RunRef,
  gates: readonly PlannedGate[],
  after?: number,
  turn?: number,
): Promise<{ notPassed: number; stops: boolean }> {
  const complaint = ({ status, message }: GateEnd): string | null => (status === 'pass' ? null : message);
  let notPassed = 0;
  let stops = false;
  for (const [index, gate] of gates.entries()) {
    if (gate.after !== after || (gate.everyTurn === true) !== (turn !== undefined)) continue;
    const when = turn === undefined ? '' : ` after turn ${turn}`;
    const title = `gate ${index + 1} of ${gates.length}: ${gate.type} ${gate.subject}${when}`;
    const args: Parameters<Activities['checkGate']> = turn === undefined ? [run, index] : [run, index, turn];
    const end = await performEither<GateEnd>(
      { step: STEPS.gate(index, turn), title, complaint, ...within(gate.timeoutSecs) },
      (steps, options) =>
        steps === inProcess
          ? checkInProcess(gate, args, options)
          : endOfGate((gate.asks === true ? steps.askGate : steps.checkGate).executeWithOptions(options, args)),
      gate.inProcess,
    );
    if (end?.status === 'pass') continue;
    notPassed += 1;
    stops ||= gate.stops === true;
  }
  return { notPassed, stops };
}

/**
 * Checks a gate within the workflow task. Returns null if its end should be visible in the Web UI's timeline, which
 * only a regular activity can make it: that one finds the verdict and repeats nothing.
 */
async function checkInProcess(
  { type }: PlannedGate,
  args: Parameters<Activities['checkGate']>,
  options: StepOptions,
): Promise<GateEnd | null> {
  const { [gateActivity(args[1], type)]: check } = gatesInProcess;
  const end = check === undefined ? null : await endOfGate(check.executeWithOptions(options, args));
  return end?.status === 'pass' ? end : null;
}

const endOfGate = (checking: Promise<GateStatus>): Promise<GateEnd> =>
  checking.then(
    (status) => ({ status, message: status }),
    (error: unknown) => {
      const end = gateEndIn(error);
      if (end === null) throw error;
      return end;
    },
  );
