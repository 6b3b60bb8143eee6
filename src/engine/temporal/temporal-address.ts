/** Where a Temporal server is. */
export interface TemporalAddress {
  address: string;
  namespace: string;
  /** Use TLS settings and keys of Temporal's own configuration (an external server), or a plain loopback connection. */
  external: boolean;
}
