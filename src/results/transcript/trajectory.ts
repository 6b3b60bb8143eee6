import { beginningOf } from '../../lib/format/truncate.js';
import type { EventBody } from '../records/events.js';
import { shellCalls } from './shell-calls.js';
import { commandOf } from './structured-commands.js';
import type { TokenUsage } from '../records/token-usage.js';

/** What an agent gave to a shell at once, and the simple commands in it. What is long is cut, with an ellipsis. */
export interface CommandLine {
  whole: string;
  parts: string[];
}

/** What an agent did and said on its way to the end, as far as its output tells. */
export interface RecordedTrajectory {
  /** In order; only the first ones, when they are very many. */
  commands: CommandLine[];
  /** Simple commands in all, also those that are not kept. */
  commandCount: number;
  /** false: the output is text, in which only calls of the target are seen, and no tools. */
  structured: boolean;
  /** Calls of each tool by its name. */
  tools: Record<string, number>;
  /** What the agent said last, its beginning where that is very long; null: nothing. */
  answer: string | null;
  /** The first calls of the target that failed. Absent in what older builds left. */
  failed?: string[];
  /** Not all that the agent printed could be read, so that the rest here is not the whole. */
  unread?: true;
}

/** The same with what it took; null is what nobody said. */
export interface Trajectory extends RecordedTrajectory {
  tokens: TokenUsage;
  costUsd: number | null;
  /** What is known where the agent was interrupted, and the exact numbers are not. */
  tokensAtLeast?: TokenUsage;
  costAtLeastUsd?: number;
}

/** Gathers a trajectory from an agent's events, in bounded memory. */
export interface TrajectoryCollector {
  add(event: EventBody): void;
  /** `textCommands` finds the target's calls in the text; asked only where the events have no structure. */
  end(textCommands: () => Iterable<string>): RecordedTrajectory;
}

const MAX_COMMANDS = 2000;
const COMMAND_LENGTH = 2000;
const MAX_TOOLS = 1000;
const TOOL_NAME_LENGTH = 200;
const ANSWER_LENGTH = 256 * 1024;

const KEYWORDS = /^(?:(?:if|then|elif|else|while|until|do|!|\{)(?:\s+|$))+/;
const NO_COMMAND = /^(?:$|(?:done|fi|esac|\}|for|case|select)(?:\s|$))/;

/** `for x in a; do tool $x; done` is one command, `tool $x`. */
const simpleCommands = (script: string): string[] =>
  shellCalls(script, null)
    .map(({ line }) => line.replace(KEYWORDS, ''))
    .filter((line) => !NO_COMMAND.test(line));

const cut = (command: string): string => beginningOf(command, COMMAND_LENGTH);

/** A collector that has seen no event yet. */
export function createTrajectoryCollector(): TrajectoryCollector {
  const commands: CommandLine[] = [];
  const tools = new Map<string, number>();
  let commandCount = 0;
  let kept = 0;
  let structured = false;
  let answer: string | null = null;
  const keep = (whole: string, parts: string[]): void => {
    commandCount += parts.length;
    const first = parts.slice(0, MAX_COMMANDS - kept);
    if (first.length === 0) return;
    kept += first.length;
    commands.push({ whole: cut(whole), parts: first.map(cut) });
  };
  const count = (tool: string): void => {
    const name = beginningOf(tool, TOOL_NAME_LENGTH);
    if (tools.has(name) || tools.size < MAX_TOOLS) tools.set(name, (tools.get(name) ?? 0) + 1);
  };
  return {
    add(event) {
      switch (event.type) {
        case 'message':
          if (event.role === 'assistant' && event.text.trim() !== '')
            answer = beginningOf(event.text, ANSWER_LENGTH);
          break;
        case 'tool_call': {
          structured = true;
          count(event.name);
          const command = commandOf(event);
          if (command !== null) keep(command, simpleCommands(command));
          break;
        }
        case 'session':
        case 'reasoning':
        case 'tool_result':
        case 'usage':
        case 'unknown':
          structured = true;
          break;
        case 'error':
        case 'setup_command':
        case 'post_script':
        case 'result':
          break;
      }
    },
    end(textCommands) {
      if (!structured) for (const line of textCommands()) keep(line, [line]);
      return { commands, commandCount, structured, tools: Object.fromEntries(tools), answer };
    },
  };
}
