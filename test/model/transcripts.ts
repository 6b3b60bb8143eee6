import { extractCommands } from '../../src/model/transcript/analyse-transcript.js';
import type { EventBody } from '../../src/model/records/events.js';

type Result = { exit_code: number | null; is_error?: boolean; id?: string };
let ids = 0;

/** A shell call and its result, unless that is null. */
export function shell(command: string, result: Result | null = { exit_code: 0 }): EventBody[] {
  const id = `call-${++ids}`;
  const call: EventBody = { type: 'tool_call', id, name: 'Bash', input: { command }, command };
  if (result === null) return [call];
  const end = { type: 'tool_result', id, is_error: false, output: '', truncated: false, ...result } as const;
  return [call, end];
}

export const target = { binary: 'tool', commandPattern: null as string | null };
export const fromEvents = (...events: EventBody[][]) => extractCommands({ events: events.flat(), text: '', target });
export const fromText = (text: string, commandPattern: string | null = null) =>
  extractCommands({ events: [], text, target: { ...target, commandPattern } });
export const names = (commands: { name: string }[]) => commands.map(({ name }) => name);
export const outcomes = (commands: { name: string; failed: boolean }[]) =>
  commands.map(({ name, failed }) => `${name}${failed ? '!' : ''}`);

/** A message. */
export const say = (text: string, role: 'assistant' | 'user' = 'assistant'): EventBody => ({
  type: 'message',
  role,
  text,
});
