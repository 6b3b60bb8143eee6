import { linesOf } from '../../platform/fs/lines.js';
import type { EventBody } from '../../results/records/events.js';
import type { Transcript } from '../../results/transcript/analyse-transcript.js';
import type { RunContext } from '../step/run-context.js';
import type { AgentOutput } from './outputs.js';
import { OUTPUT_LIMIT } from './transcripts.js';

/** The target as the analysis of a transcript needs it. */
export const targetOf = (target: RunContext['target']): Transcript['target'] =>
  target === null ? null : { binary: target.binary, commandPattern: target.command_pattern ?? null };

/** The lines that these starts printed, as far as they are searched. */
export function* textOf(session: readonly AgentOutput[]): Generator<string> {
  for (const { stdout } of session) {
    for (const line of linesOf(stdout)) {
      if (line.end > OUTPUT_LIMIT) return;
      yield line.text;
    }
  }
}

const MAX_COMMAND_LENGTH = 8 * 1024;

/** Keeps an event without the output of tools. */
export function remember(body: EventBody, seen: EventBody[]): void {
  switch (body.type) {
    case 'tool_result':
      seen.push({ ...body, output: '' });
      break;
    case 'tool_call':
      seen.push({
        ...body,
        input: body.command === null ? body.input : null,
        command: body.command?.slice(0, MAX_COMMAND_LENGTH) ?? null,
      });
      break;
    case 'session':
      seen.push(body);
      break;
    case 'error':
    case 'result':
    case 'usage':
    case 'unknown':
    case 'message':
    case 'reasoning':
    case 'setup_command':
    case 'post_script':
    case 'mcp_call':
    case 'mcp_tools':
    case 'mcp_problem':
      break;
  }
}
