import type { HostRecord } from '../../results/records/host-record.js';

/** How long every host must have been declining a cell before it is given up, in seconds. */
const NO_HOST_SECS = 600;
/** A host without a sign of life for this long, by its own clock, is ignored. */
const SILENT_MS = 10 * 60_000;

const noHostMs = (): number => {
  const secs = Number(process.env['LLM_TOOL_TEST_NO_HOST_SECS']);
  return (secs > 0 ? secs : NO_HOST_SECS) * 1000;
};

/**
 * Returns why no host can run a cell, once all of them have been declining it for so long that waiting for another one
 * is pointless; null before that. A full host does not decline. `now`: ms since the epoch.
 */
export function whyNoHost(
  what: string,
  hosts: readonly Pick<HostRecord, 'id' | 'name' | 'declined' | 'draining' | 'at'>[],
  now: number,
  patienceMs = noHostMs(),
): string | null {
  const living = hosts.filter(({ draining, at }) => !draining && now - Date.parse(at) < SILENT_MS);
  const reasons = living.map(({ name, declined }) => {
    const last = declined.find((one) => one.what === what);
    return last === undefined || now - Date.parse(last.since) < patienceMs ? null : `${name}: ${last.reason}`;
  });
  return reasons.length === 0 || reasons.includes(null)
    ? null
    : `no host can run it (${reasons.join('; ')}); run \`llm-tool-test workers\` to see the hosts`;
}
