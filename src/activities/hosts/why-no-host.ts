import type { HostRecord } from '#model';
import type { Offers } from '../step/offers.js';

/** How long a cell must have been offered, and every host have declined it, before it is given up, in seconds. */
const NO_HOST_SECS = 600;
/** A host without a sign of life for this long, by its own clock, is ignored. */
const SILENT_MS = 10 * 60_000;

const noHostMs = (): number => {
  const secs = Number(process.env['LLM_TOOL_TEST_NO_HOST_SECS']);
  return (secs > 0 ? secs : NO_HOST_SECS) * 1000;
};

/** An offer that this host has just declined. */
interface DeclinedOffer {
  /** Scenario, agent and model. */
  what: string;
  sweep: string;
  /** Agent and model. */
  agent: string;
  reason: string;
  /** When it was made first, in ms since the epoch. */
  madeAt: number;
}

/**
 * Returns why no host can run a cell, once all of them have been declining it for so long that waiting for another one
 * is pointless; null before that. A full host does not decline. Other cells of the sweep that this host declines for the
 * same reason are not waited for as long again. `now`: ms since the epoch.
 */
export function whyNoHost(
  { what, sweep, agent, reason, madeAt }: DeclinedOffer,
  { offers, hosts }: { offers: Offers; hosts: readonly Host[] },
  now = Date.now(),
  patienceMs = noHostMs(),
): string | null {
  const why = whyAllDecline(what, hosts, now);
  if (why === null) {
    offers.waitForOthers(what);
    return null;
  }
  const kind = JSON.stringify([sweep, agent, reason]);
  const isLong = now - madeAt >= patienceMs && offers.aloneFor(what) >= patienceMs;
  if (!isLong && !offers.hasGivenUp(kind)) return null;
  offers.giveUp(kind);
  return why;
}

type Host = Pick<HostRecord, 'id' | 'name' | 'declined' | 'draining' | 'at'>;

/** Null if a host has not declined the cell: it may be full. */
function whyAllDecline(what: string, hosts: readonly Host[], now: number): string | null {
  const living = hosts.filter(({ draining, at }) => !draining && now - Date.parse(at) < SILENT_MS);
  const reasons = living.map(({ name, declined }) => {
    const last = declined.find((one) => one.what === what);
    return last === undefined ? null : `${name}: ${last.reason}`;
  });
  return reasons.length === 0 || reasons.includes(null)
    ? null
    : `no host can run it (${reasons.join('; ')}); run \`llm-tool-test workers\` to see the hosts`;
}
