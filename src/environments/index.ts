import type { Containment } from '../lib/supervision.js';
import { containment } from '../platform/process/supervise.js';
import { bubblewrap, whyNoBubblewrap } from './bubblewrap.js';
import { docker } from './container/docker.js';
import { findImage, type FoundImage, type WantedContainer } from './container/why-no-container.js';
import { sharesHost, type Container, type Environment, type EnvironmentHandle } from './environment.js';
import { local } from './local.js';
import { whyNoOwnNetwork } from './network.js';

/** Every place that a run can be in. */
export const environments: Record<EnvironmentHandle['type'], Environment> = { local, bubblewrap, docker };

/** Where a run takes place. JSON: it is decided once for a run, and kept in its private state. */
export interface Place {
  type: EnvironmentHandle['type'];
  /** Why it has no sandbox, or no container, though it asks for one. */
  lacking: string | null;
  /** Of a sandbox or container: `isolated` from the loopback of this machine, or shared with it. */
  network: 'isolated' | 'shared';
  /** Why the network of a sandbox is shared. */
  lacksNetwork: string | null;
  /** The container's command line and image; absent where there is none. */
  container?: Pick<Container, 'command'> & FoundImage & { name: string };
}

/** What a scenario says in `environment`. */
export type Wanted = { type: 'local' | 'bubblewrap' | 'auto' } | ({ type: 'docker' } & WantedContainer);

/** The place for a scenario's `environment`. */
export async function chooseEnvironment(wanted: Wanted): Promise<Place> {
  if (wanted.type === 'docker') return containerFor(wanted);
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

/** How what an agent leaves behind is found and ended there. */
export const containmentIn = (handle: EnvironmentHandle): Promise<Containment> =>
  sharesHost(handle) ? containment() : Promise.resolve('container');
