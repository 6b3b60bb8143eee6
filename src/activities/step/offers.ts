import type { Declined } from '../../results/records/host-record.js';

/** The newest offers that this host declined. */
export interface Offers {
  decline: (what: string, reason: string) => void;
  /** Forgets that it declined this, because it takes it now. */
  accept: (what: string) => void;
  declined: () => Declined[];
}

const MOST = 20;
/** An offer that was not repeated for this long went to another host, or is no longer made. */
const FORGOTTEN_MS = 10 * 60_000;

export function createOffers(now: () => number = Date.now): Offers {
  const known = new Map<string, { reason: string; since: number; at: number }>();
  return {
    decline: (what, reason) => {
      const since = known.get(what)?.since ?? now();
      known.delete(what); // the newest comes last
      known.set(what, { reason, since, at: now() });
      for (const oldest of [...known.keys()].slice(0, -MOST)) known.delete(oldest);
    },
    accept: (what) => void known.delete(what),
    declined: () =>
      [...known]
        .filter(([, { at }]) => now() - at < FORGOTTEN_MS)
        .map(([what, { reason, since, at }]) => ({
          ...{ what, reason },
          since: new Date(since).toISOString(),
          at: new Date(at).toISOString(),
        })),
  };
}
