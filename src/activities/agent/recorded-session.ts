import type { Contradiction, StreamParser } from '#agents';
import { linesOf } from '#host';
import { beginningOf } from '#lib';
import {
  callsWithoutResult,
  type Command,
  type EventBody,
  extractCommands,
  type RecordedTrajectory,
  type Transcript,
} from '#model';
import type { RunContext } from '../step/run-context.js';
import type { AgentOutput } from './outputs.js';
import { OUTPUT_LIMIT } from './transcripts.js';

/** The target as the analysis of a transcript needs it. */
const targetOf = (target: RunContext['target']): Transcript['target'] =>
  target === null ? null : { binary: target.binary, commandPattern: target.command_pattern ?? null };

/**
 * The lines that these starts printed, as far as they are searched. What a program of an agent with text output says on stderr
 * shows how its calls ended, so it follows the rest of the start. When it was said is unknown.
 */
function* textOf(session: readonly AgentOutput[]): Generator<string> {
  for (const { stdout, stderr } of session) {
    for (const file of [stdout, stderr]) {
      for (const line of linesOf(file)) {
        if (line.end > OUTPUT_LIMIT) return;
        yield line.text;
      }
    }
  }
}

/** Events of starts that were remembered, with the lines of these starts, of which the last one counts for what is open. */
interface Remembered {
  seen: readonly EventBody[];
  inLastStart: readonly EventBody[];
  session: readonly AgentOutput[];
}

/** The agent's calls of the target, as far as a transcript shows them. `inText`: their lines, if the output is plain text. */
export function callsOf(
  { target }: Pick<RunContext, 'target'>,
  parser: Pick<StreamParser, 'readsText' | 'hidesFailures'>,
  { seen, inLastStart, session }: Remembered,
): { commands: Command[]; inText: (() => string[]) | null; withoutResult: string[] } {
  const isText = parser.readsText === true;
  const text = isText ? { [Symbol.iterator]: () => textOf(session) } : null;
  const commands = extractCommands({ events: seen, text, target: targetOf(target) });
  return {
    commands,
    inText: isText ? () => commands.map(({ line }) => line) : null,
    // A call that was cut off when the agent was lost is no call that failed.
    withoutResult: callsWithoutResult(inLastStart, targetOf(target), parser.hidesFailures === true),
  };
}

/** A trajectory with the target's calls of which nobody knows whether they failed. */
export function withUnseenResults(
  trajectory: RecordedTrajectory,
  withoutResult: readonly string[],
): RecordedTrajectory {
  const [first, ...others] = withoutResult;
  if (first === undefined) return trajectory;
  const more = others.length === 0 ? '' : `, and of ${others.length} more`;
  const results = `the end of ${quoted(first)}${more} is not known`;
  return { ...trajectory, unseen: { ...trajectory.unseen, results } };
}

/** A trajectory whose calls are in doubt if the end of the output contradicts them. */
export function withContradictions(
  trajectory: RecordedTrajectory,
  found: readonly Contradiction[],
): RecordedTrajectory {
  const doubt = found.find(({ unknown }) => unknown.includes('calls'))?.message;
  return doubt === undefined ? trajectory : { ...trajectory, unseen: { ...trajectory.unseen, doubt } };
}

const quoted = (line: string): string => JSON.stringify(beginningOf(line, NAME_LENGTH));

/** In characters. */
export const NAME_LENGTH = 200;

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
