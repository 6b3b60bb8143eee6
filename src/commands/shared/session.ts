import { unreachableMessage } from '#client';
import { type EngineState, withClient } from '#engine';

// Imported only when a verb needs the server, because Temporal's client takes longer to load than everything else.
export { openSession } from '#client';

const ANSWER_MS = 2000;

/** Says why the server does not answer, and what to do about it. Null if it answers. */
export async function awayReason(state: EngineState): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    await withClient(state, { timeoutMs: ANSWER_MS, signal }, () => Promise.resolve());
    return null;
  } catch (error) {
    return unreachableMessage(state, (error as Error).message);
  }
}
