import type { CommandRecord } from '../../results/records/run-record.js';
import { readStep } from '../step/run-step-once.js';
import type { RunContext } from '../step/run-context.js';
import { stepsOfKind } from '../step/scenario-steps.js';

/** What a script of `task.context` left. */
export interface ContextStep {
  /** null where nothing was run. */
  record: CommandRecord | null;
  /** The command, and the answer as it was printed, for the agent; null where there is none. */
  told: { line: string; answer: string } | null;
  /** Why there is none, and so no sense in starting the agent; null where there is one. */
  unfit: string | null;
}

/** What the agent is told of the scripts that were run before it; null where there are none. */
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
