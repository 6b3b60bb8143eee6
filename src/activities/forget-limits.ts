import type { Deps } from './step/deps.js';

/** Forgets the limits of accounts, because a user wants to try again. */
export const forgetLimits =
  ({ limits }: Pick<Deps, 'limits'>) =>
  async (accounts: readonly string[]): Promise<void> => {
    for (const account of accounts) await limits?.forget(account);
  };
