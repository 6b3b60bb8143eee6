import type { AgentProgress } from '#protocol';
import { readAgentStep } from '../agent/agent-step.js';
import { createLiveEvents } from '../agent/live-events.js';
import { userMessageOf } from '../agent/turns.js';
import type { LoadedRun } from '../run/context.js';
import { type Loop, requestsIn } from './conversation.js';
import { eventsOfRequest, sessionOf } from './events.js';

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
    const live = createLiveEvents(context, ((await readAgentStep(context))?.result.record.starts ?? 0) + 1);
    if (turn.number > 1 && nth === 1) live.add({ type: 'message', role: 'user', text: await userMessageOf(context) });
    for (const event of events) live.add(event);
    onProgress({ doing: await live.flush(), events: events.length });
  } catch {
    // The disk may be full: the step itself waits for that.
  }
}
