import { containment } from '#host';
import type { Containment } from '#lib';
import { bubblewrap } from './bubblewrap.js';
import { docker } from './container/docker.js';
import { e2b } from './e2b/e2b.js';
import {
  sharesHost,
  type Environment,
  type EnvironmentHandle,
  type EnvironmentProblem,
  type Place,
  type ProjectFolders,
  type RequestedEnvironment,
} from './environment.js';
import type { EnvironmentType } from './kinds.js';
import { kubernetes } from './kubernetes/kubernetes.js';
import { local } from './local.js';

/** All environments by type. */
export const environments: Record<EnvironmentType, Environment> = {
  local,
  bubblewrap,
  docker,
  e2b,
  kubernetes,
};

/** Chooses the place for a scenario's `environment`. */
export async function chooseEnvironment(wanted: RequestedEnvironment, folders: ProjectFolders = []): Promise<Place> {
  if (wanted.type !== 'auto') return environments[wanted.type].choose(wanted, folders);
  const place = await bubblewrap.choose(wanted, folders);
  return place.lacking === null ? place : { ...place, type: 'local' };
}

/** Says before anything starts why runs could not take place in a scenario's `environment`; null if they could. */
export const environmentProblem = async (
  wanted: RequestedEnvironment,
  folders: ProjectFolders,
  env: NodeJS.ProcessEnv,
): Promise<EnvironmentProblem | null> =>
  wanted.type === 'auto'
    ? null
    : ((await environments[wanted.type].environmentProblem?.(wanted, folders, env)) ?? null);

/** Returns how processes that an agent leaves behind are found and killed. */
export const containmentIn = (handle: EnvironmentHandle): Promise<Containment> =>
  sharesHost(handle) ? containment() : Promise.resolve('container');
