import type { EventBody } from '../records/events.js';
import { createCommandNamer, type Command, type Target } from './name-commands.js';
import type { Efficiency } from '../records/result-line.js';
import { structuredCommands } from './structured-commands.js';
import { textCommands } from './text-commands.js';

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

/** Measures how efficiently the agent used the target. */
export const analyseTranscript = (transcript: Transcript): Efficiency => efficiencyOf(extractCommands(transcript));

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
