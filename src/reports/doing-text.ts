import { beginningOf, terminalText } from '#lib';
import type { EventBody } from '#model';
import { shortInput, SHORT } from './shorten.js';

const LENGTH = 80;

/** Says in a short line what an agent that shows this event is doing. Null if the event does not tell. */
export function doingText(event: EventBody): string | null {
  const text = textOf(event);
  if (text === null) return null;
  const line = terminalText(text).replace(/\s+/g, ' ');
  return line === '' ? null : beginningOf(line, LENGTH);
}

function textOf(event: EventBody): string | null {
  switch (event.type) {
    case 'tool_call':
      return event.command === null
        ? `${event.name} ${shortInput(event.input, SHORT)}`
        : `$ ${event.command}`;
    case 'message':
      return event.role === 'user' ? null : event.text;
    case 'reasoning':
      return event.text;
    case 'error':
      return `error: ${event.message}`;
    case 'session':
    case 'tool_result':
    case 'usage':
    case 'setup_command':
    case 'post_script':
    case 'unknown':
    case 'result':
    case 'mcp_call':
    case 'mcp_tools':
    case 'mcp_problem':
      return null;
  }
}
