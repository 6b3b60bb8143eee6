import { containment } from '#host';
import type { Containment } from '#lib';
import { bubblewrap, whyNoBubblewrap } from './bubblewrap.js';
import { docker } from './container/docker.js';
import { findImage, type FoundImage, type WantedContainer } from './container/container-cli.js';
import { e2b } from './e2b/e2b.js';
import { findE2b } from './e2b/service.js';
import {
  sharesHost,
  type CloudSandbox,
  type Container,
  type Environment,
  type EnvironmentHandle,
} from './environment.js';
import { local } from './local.js';
import { whyNoOwnNetwork } from './network.js';

/** All environments by type. */
export const environments: Record<EnvironmentHandle['type'], Environment> = {
  local,
  bubblewrap,
  docker,
  e2b,
};

/** Where a run takes place. JSON: it is chosen once for each run, and stored in its private state. */
export interface Place {
  type: EnvironmentHandle['type'];
  /** Why the sandbox or container that was asked for is not available; null if it is, or none was asked for. */
  lacking: string | null;
  /** `isolated` from the loopback of this machine, as a sandbox or container can be, or `shared` with it. */
  network: 'isolated' | 'shared';
  /** Why a sandbox shares the network; null if it does not. */
  lacksNetwork: string | null;
  /** The container's command line and image; absent if there is no container. */
  container?: Pick<Container, 'command'> & FoundImage & { name: string };
  /** Where a cloud sandbox comes from; absent if there is none. */
  sandbox?: Pick<CloudSandbox, 'template' | 'timeoutSecs' | 'module'>;
}

/** The scenario's `environment`. */
export type Wanted =
  | { type: 'local' | 'bubblewrap' | 'auto' }
  | ({ type: 'docker' } & WantedContainer)
  | { type: 'e2b'; template: string; timeout_secs: number };

/**
 * Chooses the place for a scenario's `environment`. `folders`: those of the project, in which optional packages may be
 * installed.
 */
export async function chooseEnvironment(
  wanted: Wanted,
  folders: readonly (string | null)[] = [],
): Promise<Place> {
  if (wanted.type === 'docker') return containerFor(wanted);
  if (wanted.type === 'e2b') return sandboxFor(wanted, folders);
  const { type } = wanted;
  const local: Place = { type: 'local', lacking: null, network: 'shared', lacksNetwork: null };
  if (type === 'local') return local;
  const lacking = await whyNoBubblewrap();
  if (lacking !== null) return { ...local, type: type === 'auto' ? 'local' : type, lacking };
  const lacksNetwork = await whyNoOwnNetwork();
  const network = lacksNetwork === null ? 'isolated' : 'shared';
  return { type: 'bubblewrap', lacking, network, lacksNetwork };
}

async function containerFor(wanted: WantedContainer): Promise<Place> {
  const place: Place = { type: 'docker', lacking: null, network: 'isolated', lacksNetwork: null };
  const image = await findImage(wanted);
  if (image.found === null) return { ...place, lacking: image.why };
  return { ...place, container: { command: wanted.command, ...image.found, name: wanted.image } };
}

function sandboxFor(
  { template, timeout_secs }: Extract<Wanted, { type: 'e2b' }>,
  folders: readonly (string | null)[],
): Place {
  const { module, why } = findE2b(folders);
  const place: Place = { type: 'e2b', lacking: why, network: 'isolated', lacksNetwork: null };
  return module === null ? place : { ...place, sandbox: { template, timeoutSecs: timeout_secs, module } };
}

/** How processes that an agent leaves behind are found and killed. */
export const containmentIn = (handle: EnvironmentHandle): Promise<Containment> =>
  sharesHost(handle) ? containment() : Promise.resolve('container');
