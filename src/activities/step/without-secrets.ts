import { createExactMask, usableSecrets } from '../../lib/redact-exact.js';
import type { RunContext } from './run-context.js';

/**
 * What a step throws is kept in Temporal's history, and names files that an agent has made: handed-over values are
 * masked in it, and nothing else, so that a person can still tell which path is meant.
 */
export async function withoutSecrets<T>(
  { secrets }: Pick<RunContext, 'secrets'>,
  perform: () => Promise<T>,
): Promise<T> {
  try {
    return await perform();
  } catch (error) {
    const mask = createExactMask(usableSecrets(secrets));
    const texts = error as Record<string, unknown>;
    for (const name of ['message', 'stack', 'path', 'dest']) {
      const text = texts[name];
      if (typeof text === 'string') texts[name] = mask(text);
    }
    throw error;
  }
}
