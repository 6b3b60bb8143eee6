import type { EventBody } from '../../results/records/events.js';
import type { AgentEnd } from '../agent.js';

/** What a start of an agent tells of its end, event by event. */
export interface EndTracker {
  add(event: EventBody): void;
  /** The last result, and the last error that the agent did not get over. */
  read(): Pick<AgentEnd, 'result' | 'error'>;
}

/** What comes after an error shows that the agent got over it. */
const GOES_ON: ReadonlySet<EventBody['type']> = new Set(['message', 'reasoning', 'tool_call', 'tool_result']);

/** Of a start that has told nothing yet. */
export function createEndTracker(): EndTracker {
  const end: ReturnType<EndTracker['read']> = { result: null, error: null };
  return {
    add(event) {
      if (event.type === 'result') end.result = event;
      if (event.type === 'error') end.error = event;
      if (GOES_ON.has(event.type)) end.error = null;
    },
    read: () => end,
  };
}
