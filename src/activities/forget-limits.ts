import type { Deps } from './step/deps.js';

/** Forgets the limits of accounts, because a user wants to try again. */
export const forgetLimits =
  ({ providerLimits }: Pick<Deps, 'providerLimits'>) =>
  async (accounts: readonly string[]): Promise<void> => {
    for (const account of accounts) await providerLimits?.forget(account);
  };
