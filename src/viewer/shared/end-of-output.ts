import { endOf } from '#lib/pure';
import type { RunEvent } from '#model';

const LONGEST = 300;

/** Returns the end of what an agent said last, else of what was printed last; null if it is not among the events. */
export function endOfOutput(events: readonly RunEvent[]): string | null {
  const said = (event: RunEvent): string =>
    event.type === 'message' && event.role === 'assistant' ? event.text.trim() : '';
  const printed = (event: RunEvent): string =>
    event.type === 'tool_result' ? event.output.trim() : event.type === 'error' ? event.message.trim() : '';
  for (const textOf of [said, printed]) {
    const last = events.findLast((event) => textOf(event) !== '');
    if (last !== undefined) return endOf(textOf(last), LONGEST);
  }
  return null;
}
