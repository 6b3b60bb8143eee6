import { bubblewrap, whyNoBubblewrap } from './bubblewrap.js';
import type { Environment, EnvironmentHandle } from './environment.js';
import { local } from './local.js';
import { whyNoOwnNetwork } from './network.js';

/** Every place that a run can be in. */
export const environments: Record<EnvironmentHandle['type'], Environment> = { local, bubblewrap };

/** Where a run takes place. JSON: it is decided once for a run, and kept in its private state. */
export interface Place {
  type: EnvironmentHandle['type'];
  /** Why it has no sandbox though it asks for one. */
  lacking: string | null;
  /** Of a sandbox: `isolated` from the loopback of this machine, or shared with it. */
  network: 'isolated' | 'shared';
  /** Why the network of a sandbox is shared. */
  lacksNetwork: string | null;
}

/** The place for a scenario's `environment.type`. */
export async function chooseEnvironment(wanted: EnvironmentHandle['type'] | 'auto'): Promise<Place> {
  const local: Place = { type: 'local', lacking: null, network: 'shared', lacksNetwork: null };
  if (wanted === 'local') return local;
  const lacking = await whyNoBubblewrap();
  if (lacking !== null) return { ...local, type: wanted === 'auto' ? 'local' : wanted, lacking };
  const lacksNetwork = await whyNoOwnNetwork();
  const network = lacksNetwork === null ? 'isolated' : 'shared';
  return { type: 'bubblewrap', lacking, network, lacksNetwork };
}
