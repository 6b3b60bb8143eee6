import type { EventBody } from '../records/events.js';
import { createCommandNamer, type Target } from './name-commands.js';
import { commandOf } from './structured-commands.js';

/**
 * Returns the calls of the target of which nobody knows whether they failed: the agent ended before the call did, or
 * does not report it. `hidesFailures`: the agent reports commands that failed like others unless it states their exit
 * code.
 */
export function callsWithoutResult(
  events: Iterable<EventBody>,
  target: Target | null,
  hidesFailures: boolean,
): string[] {
  if (target === null) return [];
  const open = new Map<string, string>();
  let last = '';
  for (const event of events) {
    if (event.type === 'tool_call') {
      last = event.id;
      open.set(last, commandOf(event) ?? '');
    } else if (event.type === 'tool_result') {
      const isKnown = !hidesFailures || event.is_error || event.exit_code !== null;
      // A result whose id matches no call belongs to the call before it.
      if (isKnown) open.delete(open.has(event.id) ? event.id : last);
    }
  }
  const namer = createCommandNamer(target);
  return [...open.values()].flatMap((script) => namer.inScript(script).map(({ line }) => line));
}
