import { STEPS } from '../../workflows/protocol.js';
import type { AgentStep } from './summarize-output.js';
import { readStep, type Manifest } from '../step/run-step-once.js';
import type { RunContext } from '../step/run-context.js';

/** Returns the last step in which the agent was run; null if it was not run. */
export async function readAgentStep(context: RunContext): Promise<Manifest<AgentStep> | null> {
  return (await readAgentSteps(context)).at(-1) ?? null;
}

/** Returns the results of all steps in which the agent was run, in order. */
export async function readAgentSteps(
  context: RunContext,
  read = (step: string): Promise<Manifest<AgentStep> | null> => readStep(context, step),
): Promise<Manifest<AgentStep>[]> {
  const steps: Manifest<AgentStep>[] = [];
  for (;;) {
    const step = await read(STEPS.agent(steps.length + 1));
    if (step === null) return steps;
    steps.push(step);
  }
}
