import type { TemporalAddress } from '../temporal/temporal-address.js';
import { withClient } from '../temporal/temporal-client.js';

const LOOK_MS = 5000;
const ANSWER_MS = 5000;
/** A machine that lacks resources may be slow; a server that is silent for this long is stuck. */
const HUNG_MS = 40_000;

/**
 * Returns a function that tells whether a live server has stopped answering. The watch only connects to it, which works
 * with every server that is not frozen, even with a full disk. Time is measured by a clock that stops while the machine
 * sleeps.
 */
export function createServerWatch(signal: AbortSignal): (server: TemporalAddress) => boolean {
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
    if (!asking && now - lookedAt > LOOK_MS) {
      lookedAt = now;
      asking = true;
      withClient(server, { timeoutMs: ANSWER_MS, signal }, () => Promise.resolve())
        .then(
          () => (answeredAt = performance.now()),
          () => undefined, // noticed by the time that passes
        )
        .finally(() => (asking = false));
    }
    if (now - answeredAt <= HUNG_MS) return false;
    answeredAt = now;
    return true;
  };
}
