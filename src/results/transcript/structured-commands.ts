import { isJsonObject, type Json } from '../../lib/json.js';
import { shellWord } from '../../lib/shell-word.js';
import type { EventBody } from '../records/events.js';
import type { Command, CommandNamer } from './name-commands.js';

type ToolCall = Extract<EventBody, { type: 'tool_call' }>;
type ToolResult = Extract<EventBody, { type: 'tool_result' }>;
interface Call {
  /** The last of the target's commands, whose status the result may be. */
  last: Command | null;
}

/** The script that the input of a shell-like tool holds, where the adapter did not say. */
export function commandOf(call: ToolCall): string | null {
  if (call.command !== null) return call.command;
  const input: Json = call.input;
  if (!isJsonObject(input)) return null;
  const value = input['command'] ?? input['cmd'] ?? input['script'];
  if (typeof value === 'string') return value;
  return Array.isArray(value)
    ? value.map((word) => shellWord(typeof word === 'string' ? word : JSON.stringify(word))).join(' ')
    : null;
}

/**
 * A failure belongs to the last of the target's commands in a call, unless what follows it decides (`tool | grep x`):
 * in a chain the earlier ones succeeded, or the author did not care. Help fails only by an exit code, since some tools
 * print it to stderr.
 */
function applyResult({ last }: Call, result: ToolResult): void {
  if (last === null) return;
  last.failed = result.exit_code === null ? result.is_error && last.name !== 'help' : result.exit_code !== 0;
}

/** The target's commands in structured tool events; null when there is not one tool call. */
export function structuredCommands(events: Iterable<EventBody>, namer: CommandNamer): Command[] | null {
  const commands: Command[] = [];
  const calls = new Map<string, Call>();
  let last: Call | null = null;
  for (const event of events) {
    if (event.type === 'tool_call') {
      const named = namer.inScript(commandOf(event) ?? '');
      const found = named.map(({ name, line }) => ({ name, line, failed: false }));
      for (const command of found) commands.push(command); // a call may hold more than the stack takes
      last = { last: named.at(-1)?.decides === true ? (found.at(-1) ?? null) : null };
      calls.set(event.id, last);
    } else if (event.type === 'tool_result') {
      // Without a call of its id, a result belongs to the call before it.
      const call = calls.get(event.id) ?? last;
      if (call !== null) applyResult(call, event);
    }
  }
  return last === null ? null : commands;
}
