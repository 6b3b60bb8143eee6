/** An account's limit that a run has reached. The sweep starts no cells of that account until it ends. */
export interface ProviderLimit {
  provider: string;
  /** Absent if the provider has only one account here. */
  account?: string;
  /** ms since the epoch */
  until: number;
}
