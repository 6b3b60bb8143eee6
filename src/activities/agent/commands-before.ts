import type { CommandRecord } from '../../results/records/run-record.js';
import { describeEnd } from '../../lib/command-result.js';
import { readStep } from '../step/run-step-once.js';
import type { RunContext } from '../step/run-context.js';
import { stepsOfKind } from '../step/scenario-steps.js';
import { scriptEnv } from '../step/script-place.js';
import { stepCommands } from '../step/step-commands.js';

const stepsBefore = ({ scenario }: Pick<RunContext, 'scenario'>) =>
  stepsOfKind(scenario, 'command').filter(({ isAfterAgent }) => !isAfterAgent);

/** What the scenario's commands before the agent left. */
export async function commandsBefore(context: RunContext): Promise<CommandRecord[]> {
  const manifests = stepsBefore(context).map(({ name }) => readStep<CommandRecord>(context, name));
  return (await Promise.all(manifests)).flatMap((manifest) => manifest?.result ?? []);
}

/** The most time that they take. */
export const secsBefore = (context: Pick<RunContext, 'scenario'>): number =>
  stepsBefore(context).reduce((sum, { step }) => sum + step.timeout_secs, 0);

/**
 * Runs them once more, in a workspace that was made anew: an agent that starts again finds what it found before. Gives what is
 * to be said of those that failed.
 */
export async function repeatCommandsBefore(context: RunContext, signal: AbortSignal): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, step } of stepsBefore(context)) {
    const run = stepCommands(context, name, signal);
    const result = await run(step.command, scriptEnv(context), step.timeout_secs);
    if (result.exitCode !== 0)
      failed.push(`${name} failed when it was repeated (${describeEnd(result, step.timeout_secs)})`);
  }
  return failed;
}
