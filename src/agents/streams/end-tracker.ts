import type { EventBody } from '#model';
import type { AgentEnd } from '../agent.js';

/** Determines from the events of an agent's start how it ended. */
export interface EndTracker {
  add(event: EventBody): void;
  /** Returns the result, unless the agent went on after it, and the last error that it did not recover from. */
  read(): Pick<AgentEnd, 'result' | 'error'>;
}

const WORKS: ReadonlySet<EventBody['type']> = new Set(['message', 'reasoning', 'tool_call', 'tool_result']);

/** True if an event shows that the agent goes on. A message of the system may be about the error itself. */
export const goesOn = (event: EventBody): boolean =>
  WORKS.has(event.type) && !(event.type === 'message' && event.role === 'system');

/** Creates a tracker for a new start. */
export function createEndTracker(): EndTracker {
  const end: ReturnType<EndTracker['read']> = { result: null, error: null };
  return {
    add(event) {
      // After another end, success is in doubt.
      if (event.type === 'result')
        end.result = event.ending === 'done' && (end.result?.ending ?? 'done') !== 'done' ? null : event;
      if (event.type === 'error') [end.result, end.error] = [null, event];
      if (goesOn(event)) [end.result, end.error] = [null, null];
    },
    read: () => end,
  };
}
