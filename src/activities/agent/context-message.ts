import type { CommandRecord } from '../../results/run-record.js';
import { STEPS } from '../../workflows/protocol.js';
import { readStep } from '../step/publish-step.js';
import type { RunContext } from '../step/run-context.js';

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
  const steps = context.scenario.task.context.map((_, index) =>
    readStep<ContextStep>(context, STEPS.context(index)),
  );
  const told = (await Promise.all(steps)).flatMap((manifest) => manifest?.result.told ?? []);
  if (told.length === 0) return null;
  const parts = told.map(({ line, answer }) => `$ ${line}\n${answer}`);
  return [
    'These scripts of the project were run before you began. Each is shown with its answer.',
    ...parts,
  ].join('\n\n');
}
