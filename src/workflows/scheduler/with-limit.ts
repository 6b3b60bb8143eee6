import type { ProviderLimit } from '../protocol.js';

/** Adds the limit of an account. Of two, the later one counts. */
export function withLimit(
  limits: Readonly<Record<string, ProviderLimit>>,
  limit: ProviderLimit,
): Readonly<Record<string, ProviderLimit>> {
  const account = limit.account ?? limit.provider;
  return { ...limits, [account]: { ...limit, until: Math.max(limit.until, limits[account]?.until ?? 0) } };
}
