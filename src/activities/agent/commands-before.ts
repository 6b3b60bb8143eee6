import { describeEnd } from '#lib';
import type { CommandRecord } from '#model';
import { readStep } from '../step/run-step-once.js';
import { stepsOfKind } from '../run/scenario-steps.js';
import { scriptEnv, stepCommands } from '../commands/step-commands.js';
import type { RunIdentity } from '../run/identity.js';
import type { LoadedRun } from '../run/load-run.js';

const stepsBefore = ({ scenario }: Pick<RunIdentity, 'scenario'>) =>
  stepsOfKind(scenario, 'command').filter(({ isAfterAgent }) => !isAfterAgent);

/** Returns the results of the scenario's commands before the agent. */
export async function commandsBefore(context: RunIdentity): Promise<CommandRecord[]> {
  const manifests = stepsBefore(context).map(({ name }) => readStep<CommandRecord>(context, name));
  return (await Promise.all(manifests)).flatMap((manifest) => manifest?.result ?? []);
}

/** The longest time that the commands before the agent can take, in seconds. */
export const maxSecsOfCommandsBefore = (context: Pick<RunIdentity, 'scenario'>): number =>
  stepsBefore(context).reduce((sum, { step }) => sum + step.timeout_secs, 0);

/**
 * Runs these commands again in a rebuilt workspace, so that an agent that is started again finds what it found before.
 * Returns a message for each one that failed.
 */
export async function repeatCommandsBefore(context: LoadedRun, signal: AbortSignal): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, step } of stepsBefore(context)) {
    const run = stepCommands(context, name, signal);
    const result = await run(step.command, scriptEnv(context), step.timeout_secs);
    if (result.exitCode !== 0)
      failed.push(`${name} failed when it was repeated (${describeEnd(result, step.timeout_secs)})`);
  }
  return failed;
}
