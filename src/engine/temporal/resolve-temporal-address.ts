// Separate from the client, which takes longer to load than most commands run: some need only the address.
import { loadTemporalConfig } from './connection-options.js';
import type { TemporalAddress } from './temporal-address.js';

/**
 * Returns the server from `flag`, or from Temporal's environment variables or configuration file; null if none is set.
 * @throws UsageError if that configuration cannot be used
 */
export function resolveTemporalAddress(
  flag?: string,
  environment: NodeJS.Dict<string> = process.env,
): TemporalAddress | null {
  const { connectionOptions, namespace } = loadTemporalConfig(environment);
  const address = flag ?? connectionOptions.address;
  return address === undefined || address === ''
    ? null
    : { address, namespace: namespace ?? 'default', external: true };
}
