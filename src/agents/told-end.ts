import type { EventBody } from '../results/events.js';
import type { AgentEnd } from './agent.js';

/** What a start of an agent tells of its end, event by event. */
export interface ToldEnd {
  add(event: EventBody): void;
  /** The last result, and the last error that the agent did not get over. */
  read(): Pick<AgentEnd, 'result' | 'error'>;
}

/** What comes after an error shows that the agent got over it. */
const GOES_ON: ReadonlySet<EventBody['type']> = new Set(['message', 'reasoning', 'tool_call', 'tool_result']);

/** Of a start that has told nothing yet. */
export function createToldEnd(): ToldEnd {
  const told: ReturnType<ToldEnd['read']> = { result: null, error: null };
  return {
    add(event) {
      if (event.type === 'result') told.result = event;
      if (event.type === 'error') told.error = event;
      if (GOES_ON.has(event.type)) told.error = null;
    },
    read: () => told,
  };
}
