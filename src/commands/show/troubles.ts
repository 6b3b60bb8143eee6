import { setTimeout as sleep } from 'node:timers/promises';
import { queryTroubles, joinSession } from '#client';

/** Reading results waits no longer than that for a server, ms. */
const MOST_MS = 3000;

/** Asks the server, if there is one, what an open sweep and one of its runs cannot do at present. */
export const troublesNow = (resultsPath: string, sweep: string, workflowId?: string): Promise<string[]> =>
  Promise.race([ask(resultsPath, sweep, workflowId), sleep(MOST_MS, [], { ref: false })]);

async function ask(resultsPath: string, sweep: string, workflowId: string | undefined): Promise<string[]> {
  const session = await joinSession(resultsPath, () => undefined).catch(() => null);
  if (session === null) return [];
  try {
    return await queryTroubles(session, sweep, workflowId);
  } finally {
    await session.close();
  }
}
