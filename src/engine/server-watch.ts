import type { TemporalAddress } from './temporal/temporal-address.js';
import { withClient } from './temporal/temporal-client.js';

const MOST_LOOK_MS = 5000;
const ANSWER_MS = 5000;

/**
 * Returns a function that tells whether a live server has not answered for `silentMs`. The watch only connects to it, which works
 * with every server that is not frozen, even with a full disk. Time is measured by a clock that stops while the machine
 * sleeps.
 */
export function createServerWatch(
  silentMs: number,
  signal: AbortSignal,
): (server: TemporalAddress) => boolean {
  const lookMs = Math.min(silentMs / 8, MOST_LOOK_MS);
  let answeredAt = performance.now();
  let lookedAt = performance.now();
  let asked = '';
  let asking = false;
  return (server) => {
    const now = performance.now();
    if (server.address !== asked) {
      asked = server.address;
      answeredAt = now;
    }
    if (!asking && now - lookedAt > lookMs) {
      lookedAt = now;
      asking = true;
      withClient(server, { timeoutMs: ANSWER_MS, signal }, () => Promise.resolve())
        .then(
          () => (answeredAt = performance.now()),
          () => undefined, // noticed by the time that passes
        )
        .finally(() => (asking = false));
    }
    if (now - answeredAt <= silentMs) return false;
    answeredAt = now;
    return true;
  };
}
