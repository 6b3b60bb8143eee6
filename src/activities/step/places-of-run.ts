import { type Environment, type EnvironmentHandle, environments } from '#environments';
import type { RunRef } from '#protocol';
import { stateOfRun } from '#store';
import type { Deps } from './deps.js';
import { checkName } from './load-plan.js';
import { handleOf, judgeHandle } from './run-paths.js';
import { keptPlace } from './settled-environment.js';

/** A place of a run, and the environment that knows it. */
export interface Placed {
  environment: Environment;
  handle: EnvironmentHandle;
}

/**
 * The places of a run and its judge, as far as is needed to stop and remove them, even if the plan is gone. Processes
 * in a sandbox are killed like any others.
 */
export async function placesOfRun(
  { stateFolder }: Pick<Deps, 'stateFolder'>,
  { run }: Pick<RunRef, 'run'>,
): Promise<Placed[]> {
  checkName(run);
  const state = stateOfRun(stateFolder, run);
  const place = (await keptPlace(state)) ?? { type: 'local' };
  const handle = handleOf(state, place, { hidden: [], project: null });
  const environment = environments[place.type];
  return [judgeHandle(handle), handle].map((each) => ({ environment, handle: each }));
}
