import { createEncodedMask, usableSecrets } from '#lib';
import type { RunContext } from './run-context.js';

/** Maximum length of a chain of causes. */
const MAX_DEPTH = 10;

/**
 * An error thrown by a step is stored in Temporal's history, with its causes, and may name files that an agent created.
 * Masks the run's secrets in it and nothing else, so that a person can still tell which path is meant.
 */
export async function maskErrors<T>(
  { secrets }: Pick<RunContext, 'secrets'>,
  perform: () => Promise<T>,
): Promise<T> {
  try {
    return await perform();
  } catch (error) {
    throw maskedError(error, createEncodedMask(usableSecrets(secrets)), MAX_DEPTH);
  }
}

/** Returns the error itself with its texts masked; if it cannot be changed, a new error with the masked message. */
function maskedError(error: unknown, mask: (text: string) => string, depth: number): unknown {
  if (typeof error === 'string') return mask(error);
  if (typeof error !== 'object' || error === null) return error;
  const fields = error as Record<string, unknown>;
  try {
    for (const name of ['message', 'stack', 'path', 'dest']) {
      const text = fields[name];
      if (typeof text !== 'string' || mask(text) === text) continue;
      // Not assigned, because the message of a DOMException is read-only.
      Object.defineProperty(error, name, { value: mask(text), configurable: true, writable: true });
    }
    const { cause } = fields;
    if (cause === undefined) return error;
    const masked = depth === 0 ? undefined : maskedError(cause, mask, depth - 1);
    if (masked !== cause)
      Object.defineProperty(error, 'cause', { value: masked, configurable: true, writable: true });
    return error;
  } catch {
    return new Error(mask(String(fields['message'])));
  }
}
