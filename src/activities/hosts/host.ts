import { buildId, packageVersion } from '#host';
import { ENGINE_PROTOCOL, MAX_CONCURRENCY } from '#lib';
import type { Declined, HostRecord } from '#model';
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

/** The newest offers that this host declined. */
export interface Offers {
  decline: (what: string, reason: string) => void;
  /** Forgets that it declined this, because it takes it now. */
  accept: (what: string) => void;
  /** Notes that another host may take this. */
  waitForOthers: (what: string) => void;
  /** The time for which this host has known that no other one takes this, in ms. */
  aloneFor: (what: string) => number;
  /** Notes that no host can run cells of this kind, whose first one has been offered for long enough. */
  giveUp: (kind: string) => void;
  hasGivenUp: (kind: string) => boolean;
  declined: () => Declined[];
}

/** At least the number that a sweep offers at once, or entries would evict each other before any is given up. */
const MOST = MAX_CONCURRENCY;
/** An offer that was not repeated for this long went to another host, or is no longer made. */
const FORGOTTEN_MS = 10 * 60_000;

export function createOffers(now: () => number = Date.now): Offers {
  const known = new Map<string, { reason: string; since: number; alone: number; at: number }>();
  const givenUp = new Map<string, number>();
  const isRecent = (at: number): boolean => now() - at < FORGOTTEN_MS;
  return {
    decline: (what, reason) => {
      const last = known.get(what);
      const { since, alone } = last !== undefined && isRecent(last.at) ? last : { since: now(), alone: now() };
      known.delete(what); // the newest comes last
      known.set(what, { reason, since, alone, at: now() });
      for (const oldest of [...known.keys()].slice(0, -MOST)) known.delete(oldest);
    },
    accept: (what) => void known.delete(what),
    waitForOthers: (what) => {
      const last = known.get(what);
      if (last !== undefined) last.alone = now();
    },
    aloneFor: (what) => now() - (known.get(what)?.alone ?? now()),
    giveUp: (kind) => {
      for (const [old, at] of givenUp) if (!isRecent(at)) givenUp.delete(old);
      givenUp.set(kind, now());
    },
    hasGivenUp: (kind) => isRecent(givenUp.get(kind) ?? -Infinity),
    declined: () =>
      [...known]
        .filter(([, { at }]) => isRecent(at))
        .map(([what, { reason, since, at }]) => ({
          what,
          reason,
          since: new Date(since).toISOString(),
          at: new Date(at).toISOString(),
        })),
  };
}
