import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, sha256 } from '#lib';
import { connectionOptions, type TemporalAddress } from './connection-options.js';
import { namespaceId, withClient } from './temporal-client.js';

interface Watching {
  /** Returns the environment as it is now. */
  environment?: () => NodeJS.Dict<string>;
  /** Is called with a line about credentials that do not work. */
  warn: (line: string) => void;
  signal: AbortSignal;
  everyMs: number;
}

const ANSWER_MS = 5000;

/**
 * Waits until the API key or the certificates for the server have been replaced by others that work. A worker then
 * ends, and the next one connects with them; its agents go on. Credentials that do not work are reported once and not
 * used. Returns false if the signal aborted before.
 */
export async function untilCredentialsChange(
  to: TemporalAddress,
  { environment = () => process.env, warn, signal, everyMs }: Watching,
): Promise<boolean> {
  const read = (): string => sha256(JSON.stringify(connectionOptions(to, environment())));
  const first = read();
  let reported = '';
  for (;;) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    try {
      if (read() === first) continue;
      await withClient(to, { timeoutMs: ANSWER_MS, signal, environment: environment() }, namespaceId);
      return true;
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== reported) warn(`the new credentials are not used: ${reason}`);
      reported = reason;
    }
  }
}
