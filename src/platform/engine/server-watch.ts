import type { TemporalAddress } from '../temporal/resolve-temporal-address.js';
import { withClient } from '../temporal/temporal-client.js';

const LOOK_MS = 5000;
const ANSWER_MS = 5000;
/** A machine that is short of everything may be slow; a server that says nothing for so long is stuck. */
const HUNG_MS = 40_000;

/**
 * Tells of a server that is alive and does not answer. It is asked by connecting to it, which any server answers that is
 * not frozen, also one whose disk is full. Time is counted by a clock that a sleeping machine stops.
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
          () => undefined, // seen by the time that passes
        )
        .finally(() => (asking = false));
    }
    if (now - answeredAt <= HUNG_MS) return false;
    answeredAt = now;
    return true;
  };
}
