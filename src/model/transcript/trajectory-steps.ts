import { beginningOf, defined, isJsonObject, type Json } from '#lib';
import type { RunEvent } from '../records/events.js';
import { isOfProxy } from './mcp-record.js';
import type { TrajectoryStep } from '../records/execution.js';

const MAX_STEPS = 500;
const TEXT_LENGTH = 4096;

/** The thoughts, actions and observations of an agent, and the number of further entries. */
interface TrajectorySteps {
  steps: TrajectoryStep[];
  leftOut: number;
}

/**
 * Converts events to thoughts, actions and observations, in order. Other events, such as messages, are none of these.
 */
export function trajectorySteps(events: Iterable<RunEvent>): TrajectorySteps {
  const steps: TrajectoryStep[] = [];
  const called = new Map<string, TrajectoryStep>();
  let leftOut = 0;
  for (const event of events) {
    const found = stepOf(event);
    if (found === null) continue;
    const step = { ...found, timestamp: event.ts };
    if (event.type === 'tool_call') called.set(event.id, step);
    const action = event.type === 'tool_result' ? called.get(event.id) : undefined;
    if (event.type === 'tool_result' && event.executed === false && isJsonObject(action?.content))
      action.content = { ...action.content, executed: false };
    if (steps.length < MAX_STEPS) steps.push(step);
    else leftOut += 1;
  }
  return { steps, leftOut };
}

function stepOf(event: RunEvent): Omit<TrajectoryStep, 'timestamp'> | null {
  if (isOfProxy(event)) return null;
  switch (event.type) {
    case 'reasoning':
      return { type: 'thought', content: beginningOf(event.text, TEXT_LENGTH) };
    case 'tool_call':
      return {
        type: 'action',
        content: {
          name: event.name,
          parameters: shortened(event.input),
          ...defined({ executed: event.executed }),
        },
      };
    case 'tool_result':
      return { type: 'observation', content: beginningOf(event.output, TEXT_LENGTH) };
    case 'session':
    case 'message':
    case 'extension':
    case 'usage':
    case 'setup_command':
    case 'post_script':
    case 'error':
    case 'unknown':
    case 'result':
      return null;
  }
}

/** Returns parameters as they are, or the beginning of their JSON if that is long. */
function shortened(parameters: Json): Json {
  const text = JSON.stringify(parameters);
  return text.length <= TEXT_LENGTH ? parameters : beginningOf(text, TEXT_LENGTH);
}
