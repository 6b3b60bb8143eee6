import type { EventBody } from '../../results/records/events.js';
import type { AgentEnd } from '../agent.js';

/** Determines from the events of an agent's start how it ended. */
export interface EndTracker {
  add(event: EventBody): void;
  /** Returns the last result, and the last error that the agent did not recover from. */
  read(): Pick<AgentEnd, 'result' | 'error'>;
}

/** Events which, if they follow an error, show that the agent recovered from it. */
const GOES_ON: ReadonlySet<EventBody['type']> = new Set(['message', 'reasoning', 'tool_call', 'tool_result']);

/** Creates a tracker for a new start. */
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
