import { describeEnd } from '#lib';
import type { CommandRecord } from '#model';
import { buildWorkspace } from '../prepare/build-workspace.js';
import type { Deps } from '../step/deps.js';
import type { Fence } from '../step/fence.js';
import { readStep } from '../step/run-step-once.js';
import { stepsOfKind } from '../run/scenario-steps.js';
import { scriptEnv, stepCommands } from '../commands/step-commands.js';
import type { LoadedRun, RunAccess, RunIdentity } from '../run/context.js';

/** A workspace that was built again. */
export interface Rebuilt {
  /** The reason why the agent cannot be started in it; null if it can. */
  unfit: string | null;
  failed: string[];
}

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
 * Builds the workspace again and repeats these commands in it, so that an agent that is started again finds what it
 * found before. `failed`: a message for each command that failed.
 */
export async function rebuildWorkspace(
  deps: Deps,
  context: LoadedRun & RunAccess,
  fence: Fence,
  signal: AbortSignal,
): Promise<Rebuilt> {
  const { unfit } = await buildWorkspace(deps, context, fence, signal);
  const failed: string[] = [];
  if (unfit !== null) return { unfit, failed };
  for (const { name, step } of stepsBefore(context)) {
    const run = stepCommands(context, name, signal);
    const result = await run(step.command, scriptEnv(context), step.timeout_secs);
    if (result.exitCode !== 0)
      failed.push(`${name} failed when it was repeated (${describeEnd(result, step.timeout_secs)})`);
  }
  return { unfit, failed };
}
