import type { CommandRecord } from '#model';
import { readStep } from '../step/run-step-once.js';
import type { RunContext } from '../step/run-context.js';
import { stepsOfKind } from '../step/scenario-steps.js';

/** Result of a script of `task.context`. */
export interface ContextStep {
  /** Null if nothing was run. */
  record: CommandRecord | null;
  /** The command, and its answer as the agent is given it; null if there is no answer. */
  told: { line: string; answer: string } | null;
  /** Why there is no answer, so that the agent is not started; null if there is one. */
  unfit: string | null;
}

/** Message to the agent about the scripts that were run before it; null if there are none. */
export async function contextMessage(context: RunContext): Promise<string | null> {
  const steps = stepsOfKind(context.scenario, 'script').map(({ name }) =>
    readStep<ContextStep>(context, name),
  );
  const texts = (await Promise.all(steps)).flatMap((manifest) => manifest?.result.told ?? []);
  if (texts.length === 0) return null;
  const parts = texts.map(({ line, answer }) => `$ ${line}\n${answer}`);
  return [
    'These scripts of the project were run before you began. Each is shown with its answer.',
    ...parts,
  ].join('\n\n');
}
