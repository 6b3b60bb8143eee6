import { plainText } from '#lib';
import type { EventBody } from '../records/events.js';
import { type Command, type CommandNamer, createCommandNamer, isPrompt, type Target } from './name-commands.js';
import type { Efficiency } from '../records/result-line.js';
import { structuredCommands } from './structured-commands.js';
import { isFailureLine, statedExitCode } from './text-result.js';

/** The record of an agent's session: structured events, if there are any, and its text. */
export interface Transcript {
  events: Iterable<EventBody>;
  /** The text as a whole, or its lines. Null for output in the form of events, which shows all calls. */
  text: string | Iterable<string> | null;
  /** Null if there is no program under test. */
  target: Target | null;
}

/** Returns the agent's calls of the target, in order. */
export function extractCommands({ events, text, target }: Transcript): Command[] {
  if (target === null) return [];
  const namer = createCommandNamer(target);
  return structuredCommands(events, namer) ?? (text === null ? [] : textCommands(text, namer));
}

/** Computes the efficiency from the calls of the target; specs/reference/evaluation.md has the formulas. */
export function efficiencyOf(commands: readonly Command[]): Efficiency {
  const firstFailed = new Map<string, boolean>();
  for (const { name, failed } of commands) if (!firstFailed.has(name)) firstFailed.set(name, failed);
  const total = commands.length;
  const unique = firstFailed.size;
  const firstTries = [...firstFailed.values()].filter((failed) => !failed).length;
  return {
    total_commands: total,
    unique_commands: unique,
    error_count: commands.filter(({ failed }) => failed).length,
    retry_count: total - unique,
    help_invocations: commands.filter(({ name }) => name === 'help').length,
    first_try_success_rate: unique === 0 ? null : firstTries / unique,
    iteration_ratio: total === 0 ? 0 : unique / total,
  };
}

function* linesOf(text: string | Iterable<string>): Generator<string> {
  if (typeof text !== 'string') {
    yield* text;
    return;
  }
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

/**
 * Returns the target's commands in a text transcript. The lines after a command, up to the next command or shell
 * prompt, are its result. The first exit status that they state decides; without one, any line that reports a failure
 * does.
 */
function textCommands(text: string | Iterable<string>, namer: CommandNamer): Command[] {
  const commands: Command[] = [];
  let open: Command | null = null;
  for (const raw of linesOf(text)) {
    const line = plainText(raw);
    const found = namer.inText(line).map((named) => ({ ...named, failed: false }));
    if (found.length > 0) {
      for (const command of found) commands.push(command);
      open = found.at(-1) ?? null;
    } else if (isPrompt(line)) open = null;
    else if (open !== null) {
      const exitCode = statedExitCode(line);
      if (exitCode !== null) {
        open.failed = exitCode !== 0;
        open = null;
      } else if (open.name !== 'help' && isFailureLine(line)) open.failed = true;
    }
  }
  return commands;
}
