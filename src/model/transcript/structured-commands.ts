import { isJsonObject, type Json, shellWord } from '#lib/pure';
import type { EventBody } from '../records/events.js';
import type { Command, CommandNamer } from './name-commands.js';

type ToolCall = Extract<EventBody, { type: 'tool_call' }>;
type ToolResult = Extract<EventBody, { type: 'tool_result' }>;
interface Call {
  found: Command[];
  /** The last of the target's commands, if the status of the result may be its own. */
  last: Command | null;
}

/** Returns the script that a shell-like tool was called with: from the adapter, else from the input; or null. */
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
 * Marks the last of the target's commands in a call as failed if the call failed, unless what follows that command sets
 * the status (`tool | grep x`). Earlier commands of a chain succeeded, or their author ignored their status. A call for
 * help fails only by its exit code, because some tools print help to stderr.
 */
function applyResult({ last }: Call, result: ToolResult): void {
  if (last === null) return;
  last.failed = result.exit_code === null ? result.is_error && last.name !== 'help' : result.exit_code !== 0;
}

/** Returns the target's commands in structured tool events; null if there is no tool call at all. */
export function structuredCommands(events: Iterable<EventBody>, namer: CommandNamer): Command[] | null {
  const commands: Command[] = [];
  const calls = new Map<string, Call>();
  const unexecuted = new Set<Command>();
  let last: Call | null = null;
  for (const event of events) {
    if (event.type === 'tool_call') {
      const named = event.executed === false ? [] : namer.inScript(commandOf(event) ?? '');
      const found = named.map(({ name, line }) => ({ name, line, failed: false }));
      for (const command of found) commands.push(command); // spreading them could overflow the stack
      last = { found, last: named.at(-1)?.decides === true ? (found.at(-1) ?? null) : null };
      calls.set(event.id, last);
    } else if (event.type === 'tool_result') {
      // A result whose id matches no call belongs to the call before it.
      const call = calls.get(event.id) ?? last;
      if (call === null) continue;
      if (event.executed === false) for (const command of call.found) unexecuted.add(command);
      applyResult(call, event);
    }
  }
  return last === null ? null : commands.filter((command) => !unexecuted.has(command));
}
