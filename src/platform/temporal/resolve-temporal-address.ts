// Apart from the client, which takes longer to load than most commands take: some only want to know the address.
import { loadClientConnectConfig } from '@temporalio/envconfig';

export interface TemporalAddress {
  address: string;
  namespace: string;
  /** Use TLS settings and keys of Temporal's own configuration (a given server), or a plain loopback connection. */
  external: boolean;
}

/** The server that Temporal's own environment variables or configuration file name; null when they name none. */
export function resolveTemporalAddress(flag?: string): TemporalAddress | null {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = flag ?? connectionOptions.address;
  return address === undefined || address === ''
    ? null
    : { address, namespace: namespace ?? 'default', external: true };
}
