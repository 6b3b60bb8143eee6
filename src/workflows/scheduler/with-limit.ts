import { ownValue } from '#lib/pure';
import type { ProviderLimit } from '#protocol';

/** Adds the limit of an account. Of two, the later one counts. */
export function withLimit(
  limits: Readonly<Record<string, ProviderLimit>>,
  limit: ProviderLimit,
): Readonly<Record<string, ProviderLimit>> {
  const account = limit.account ?? limit.provider;
  return {
    ...limits,
    [account]: { ...limit, until: Math.max(limit.until, ownValue(limits, account)?.until ?? 0) },
  };
}
