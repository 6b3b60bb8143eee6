import { STEPS } from '#model';
import type { AgentStep } from './agent-step.js';
import { readStep, type Manifest, type StepStore } from '../step/run-step-once.js';

/** Returns the last step in which the agent was run; null if it was not run. */
export async function readAgentStep(context: StepStore): Promise<Manifest<AgentStep> | null> {
  return (await readAgentSteps(context)).at(-1) ?? null;
}

/** Returns the results of all steps in which the agent was run, in order: of each turn, all runs of the agent. */
export async function readAgentSteps(
  context: StepStore,
  read = (step: string): Promise<Manifest<AgentStep> | null> => readStep(context, step),
): Promise<Manifest<AgentStep>[]> {
  const steps: Manifest<AgentStep>[] = [];
  for (let turn = 1, nth = 1; ;) {
    const step = await read(STEPS.agent(nth, turn));
    if (step !== null) {
      steps.push(step);
      nth += 1;
    } else if (nth > 1) {
      turn += 1;
      nth = 1;
    } else return steps;
  }
}

/** Names of the steps with these results, in order. */
export function agentStepNames(results: readonly Pick<AgentStep, 'turn'>[]): string[] {
  const counts = new Map<number, number>();
  return results.map(({ turn }) => {
    const number = turn?.number ?? 1;
    const nth = (counts.get(number) ?? 0) + 1;
    counts.set(number, nth);
    return STEPS.agent(nth, number);
  });
}

/** Names of the steps that can follow these: the agent is run again in the same turn, or in the next one. */
export function nextAgentSteps(results: readonly Pick<AgentStep, 'turn'>[]): string[] {
  const last = results.at(-1);
  if (last === undefined) return [STEPS.agent(1)];
  const turn = last.turn?.number ?? 1;
  const nth = results.filter((one) => (one.turn?.number ?? 1) === turn).length;
  return [STEPS.agent(nth + 1, turn), STEPS.agent(1, turn + 1)];
}
