import { buildId, packageVersion } from '#host';
import { ENGINE_PROTOCOL } from '#lib';
import type { HostRecord } from '#model';
import type { Offers } from './offers.js';
import type { Slots } from './slots.js';

/** This machine or container, as a host of a shared project. */
export interface Host {
  id: string;
  name: string;
  /** The part of the identity of its workers that names the host. */
  identity: string;
  /** The task queue that only this host polls. */
  queue: string;
  slots: Slots;
  labels: readonly string[];
  /** The only agents that it runs; null if it runs all that it has. */
  agents: readonly string[] | null;
  offers: Offers;
  isDraining: () => boolean;
}

/** Returns what the host says about itself. `sign` differs from that of every earlier record. */
export const hostRecord = (host: Host, sign: number): HostRecord => ({
  schema_version: 1,
  id: host.id,
  name: host.name,
  sign,
  at: new Date().toISOString(),
  draining: host.isDraining(),
  version: packageVersion,
  build: buildId(),
  protocol: ENGINE_PROTOCOL,
  slots: host.slots.total,
  labels: [...host.labels],
  agents: host.agents === null ? null : [...host.agents],
  runs: [...host.slots.taken()].map(([workflow_id, since]) => ({
    workflow_id,
    since: new Date(since).toISOString(),
  })),
  declined: host.offers.declined(),
});
