import { stripVTControlCharacters } from 'node:util';
import { colors } from '../blocks/terminal.js';
import { beginningOf, plainText, terminalText } from '#lib';
import { type EventBody, isOfProxy } from '#model';
import { SHORT, shortInput } from './shorten.js';

/** The rest is in the transcript when the run is over. */
const MAX_LINES = 10;
const LONGEST_LINE = 500;

/** Renders an event for those who follow a run: a command, the beginning of its output, a message. */
export const eventLines = (event: EventBody, color: boolean): string[] =>
  color ? linesOf(event) : linesOf(event).map(stripVTControlCharacters);

function linesOf(event: EventBody): string[] {
  switch (event.type) {
    case 'message':
      return event.role === 'assistant' ? body(event.text) : body(`${event.role}: ${event.text}`).map(colors.dim);
    case 'reasoning':
      return body(event.text).map(colors.dim);
    case 'tool_call':
      return event.command === null
        ? [colors.cyan(cut(`${terminalText(event.name)} ${shortInput(event.input, SHORT)}`))]
        : body(`$ ${event.command}`).map(colors.cyan);
    case 'tool_result': {
      const failed = (event.exit_code ?? 0) !== 0 || event.is_error;
      const how = event.exit_code === null ? 'failed' : `exit code ${event.exit_code}`;
      return [...body(event.output).map((line) => `  ${line}`), ...(failed ? [colors.red(`  [${how}]`)] : [])];
    }
    case 'setup_command':
    case 'post_script':
      return body(`$ ${event.command}`).map(colors.dim);
    case 'error':
      return body(`error: ${event.message}`).map(colors.red);
    case 'result':
      return [colors.dim(`the agent ended: ${terminalText(event.ending)}`)];
    case 'extension':
      return [colors.dim(terminalText(`${event.kind} ${event.name}`))];
    case 'mcp_problem':
      return body(`MCP server ${event.server}: ${event.message}`).map(colors.red);
    case 'session':
    case 'usage':
    case 'unknown':
    case 'mcp_call':
    case 'mcp_tools':
      return [];
  }
}

/** The first lines of a text, without terminal sequences, and how many more there are. */
function body(text: string): string[] {
  const trimmed = plainText(text).trimEnd();
  if (trimmed === '') return [];
  const lines = trimmed.split('\n');
  const more = lines.length - MAX_LINES;
  return [
    ...lines.slice(0, MAX_LINES).map(cut),
    ...(more > 0 ? [`… ${more} more ${more === 1 ? 'line' : 'lines'}`] : []),
  ];
}

const cut = (line: string): string => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);

const LENGTH = 80;

/** Says in a short line what an agent that shows this event is doing. Null if the event does not tell. */
export function doingText(event: EventBody): string | null {
  const text = textOf(event);
  if (text === null) return null;
  const line = terminalText(text).replace(/\s+/g, ' ');
  return line === '' ? null : beginningOf(line, LENGTH);
}

function textOf(event: EventBody): string | null {
  if (isOfProxy(event)) return null;
  switch (event.type) {
    case 'tool_call':
      return event.command === null ? `${event.name} ${shortInput(event.input, SHORT)}` : `$ ${event.command}`;
    case 'message':
      return event.role === 'user' ? null : event.text;
    case 'reasoning':
      return event.text;
    case 'error':
      return `error: ${event.message}`;
    case 'extension':
      return `${event.kind} ${event.name}`;
    case 'session':
    case 'tool_result':
    case 'usage':
    case 'setup_command':
    case 'post_script':
    case 'unknown':
    case 'result':
      return null;
  }
}
