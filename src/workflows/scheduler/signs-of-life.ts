import type { Signs } from '#protocol';

/** The newest sign of life of a host, and for how long it has been the newest, in ms. */
export interface HostSign {
  sign: number | null;
  unchangedMs: number;
}

/**
 * Returns what is known about hosts after another look at their signs of life, `elapsedMs` after the look before. No
 * clocks are compared. At most `maxMs` count between two looks: while this worker was down, the hosts may have had no
 * server either.
 */
export function updateSigns(
  before: ReadonlyMap<string, HostSign>,
  signs: Signs,
  elapsedMs: number,
  maxMs: number,
): Map<string, HostSign> {
  return new Map(
    Object.entries(signs).map(([host, sign]) => {
      const last = before.get(host);
      const isUnchanged = last !== undefined && last.sign === sign;
      return [host, { sign, unchangedMs: isUnchanged ? last.unchangedMs + Math.min(elapsedMs, maxMs) : 0 }];
    }),
  );
}

/** The hosts that have shown no sign of life for too long. */
export const lostHosts = (seen: ReadonlyMap<string, HostSign>, lostMs: number): string[] =>
  [...seen].flatMap(([host, { unchangedMs }]) => (unchangedMs >= lostMs ? [host] : []));
