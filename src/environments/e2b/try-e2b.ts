import { E2bRefused, explained } from './e2b-errors.js';
import { loadE2b } from './find-e2b.js';
import type { E2bOptions } from './variables.js';

const TRY_MS = 15_000;

/**
 * Asks E2B for the first sandbox of the account, which costs nothing. Returns why that fails, and whether it would fail
 * again; null if E2B answers.
 */
export async function tryE2b(
  module: string,
  options: E2bOptions,
): Promise<{ why: string; isFinal: boolean } | null> {
  const e2b = await loadE2b(module);
  try {
    await e2b.Sandbox.list({ ...options, limit: 1, requestTimeoutMs: TRY_MS }).nextItems();
    return null;
  } catch (error) {
    const reason = explained(e2b, `reach E2B at ${options.apiUrl}`, error);
    return { why: reason.message, isFinal: reason instanceof E2bRefused };
  }
}
