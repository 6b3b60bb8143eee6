import { fsyncSync, writeFileSync } from 'node:fs';
import { beginningOf, isStorable, type Json, parseJson } from '#lib';
import type { EventBody } from '#model';

/** Descriptor of the agent's output. Standard output is not used, because any code may write to it. */
const OUTPUT = 3;
const MAX_OUTPUT = 64 * 1024;

/** Prints an event of the agent. */
export function emit(event: EventBody): void {
  writeFileSync(OUTPUT, `${JSON.stringify(event)}\n`);
}

/** Waits until the printed events are on the disk. */
export function flushEvents(): void {
  try {
    fsyncSync(OUTPUT);
  } catch {
    // A pipe, which has nothing to wait for.
  }
}

export function emitCall(id: string, name: string, input: unknown): void {
  emit({ type: 'tool_call', id, name, input: jsonOf(input), command: null });
}

export function emitResult(id: string, isError: boolean, output: unknown): void {
  const text = typeof output === 'string' ? output : JSON.stringify(jsonOf(output));
  emit({
    type: 'tool_result',
    id,
    exit_code: null,
    is_error: isError,
    output: beginningOf(text, MAX_OUTPUT),
    truncated: text.length > MAX_OUTPUT,
  });
}

/** A value of unknown code as JSON; null if it is none. */
export function jsonOf(value: unknown): Json {
  try {
    const json = parseJson(JSON.stringify(value)) ?? null;
    return isStorable(json) ? json : null;
  } catch {
    return null;
  }
}

/** The agent cannot be set up as the scenario or the config says. Its message is for the user. */
export class CannotSetUp extends Error {}
