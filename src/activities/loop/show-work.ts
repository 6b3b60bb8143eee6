import type { AgentProgress } from '#protocol';
import { createLiveEvents } from '../agent/live-events.js';
import { mcpEventsSoFar } from '../agent/mcp-servers.js';
import { userMessageOf } from '../agent/turns.js';
import type { LoadedRun } from '../run/context.js';
import { type Loop, requestsIn } from './conversation.js';
import { eventsOfRequest, sessionOf } from './events.js';
import { startOfLoop } from './servers.js';

/**
 * Records what the agent has done so far in its `nth` run of a turn, for those who follow the run. A failure to record
 * is ignored, as the agent's work does not depend on it.
 */
export async function showWork(
  context: LoadedRun,
  loop: Loop,
  nth: number,
  onProgress: (progress: AgentProgress) => void,
): Promise<void> {
  const { run, turn } = context;
  const requests = requestsIn(loop, turn.number, nth);
  const events = [sessionOf(run, requests), ...requests.flatMap(eventsOfRequest)];
  try {
    const start = await startOfLoop(context);
    const live = createLiveEvents(context, start);
    if (turn.number > 1 && nth === 1) live.add({ type: 'message', role: 'user', text: await userMessageOf(context) });
    for (const event of events) live.add(event);
    for (const { event } of await mcpEventsSoFar(context, start)) live.add(event);
    onProgress({ doing: await live.flush(), events: events.length });
  } catch {
    // The disk may be full: the step itself waits for that.
  }
}
