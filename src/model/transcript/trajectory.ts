import { beginningOf } from '#lib';
import type { EventBody } from '../records/events.js';
import { shellCalls } from './shell-calls.js';
import { createSkillUseFinder } from './skill-uses.js';
import { commandOf } from './structured-commands.js';
import type { TokenUsage } from '../records/token-usage.js';
import { createMcpCollector, isOfProxy, type McpRecord } from './mcp-record.js';

/** One input to a shell, and the simple commands in it. Long texts are cut and end with an ellipsis. */
export interface CommandLine {
  whole: string;
  parts: string[];
}

/** The trajectory of an agent, as far as its output shows it. */
export interface RecordedTrajectory {
  /** In order. If there are very many, only the first ones. */
  commands: CommandLine[];
  /** Number of simple commands, including those that were not kept. */
  commandCount: number;
  /** false: the output is plain text, which shows calls of the target only, and no tools. */
  structured: boolean;
  /** Number of calls of each tool, by its name. */
  tools: Record<string, number>;
  /**
   * Number of calls that were not executed, by the name of the tool: it does not exist, or the arguments do not fit.
   * Absent if none.
   */
  unexecuted?: Record<string, number>;
  /** Number of uses of each skill, by its name. */
  skills: Record<string, number>;
  /** Number of starts of each subagent, by its name. Absent if none. */
  subagents?: Record<string, number>;
  /** The runs of hooks, by their names. Absent if none. */
  hooks?: Record<string, HookRuns>;
  /** Names of the called tools, in order; the last one is '…' if there were more. */
  actions: string[];
  /** The agent's last message, cut if it is very long; null if there is none. */
  answer: string | null;
  /** The first calls of the target that failed. Absent in what one turn has shown. */
  failed?: string[];
  /** The record of MCP servers under test. */
  mcp: McpRecord;
  /** Part of the agent's output could not be read, so the other fields are incomplete. */
  unread?: true;
  /** The reasons why anything else is unknown, although the answer is known. */
  unseen?: Unseen;
}

/** The runs of a hook that did their work, those that failed, and the beginning of what the last of these printed. */
interface HookRuns {
  worked: number;
  failed: number;
  failure: string;
}

/**
 * `calls`: calls of tools are missing. `doubt`: the end contradicts what is shown, so calls may be missing. `results`:
 * some calls of the target may have failed.
 */
interface Unseen {
  calls?: string;
  doubt?: string;
  results?: string;
}

/** The reason why a count of commands or calls may be incomplete. */
export const UNREAD = 'not all of its output could be read';

/** A trajectory with its tokens and cost in US dollars; null: unknown. */
export interface Trajectory extends RecordedTrajectory {
  tokens: TokenUsage;
  costUsd: number | null;
  /** Lower bounds, where the exact numbers are unknown, as after an interruption. */
  tokensAtLeast?: TokenUsage;
  costAtLeastUsd?: number;
  /** True if `answer` is what a command printed. */
  isOutput?: true;
}

/** Collects a trajectory from an agent's events, in bounded memory. */
export interface TrajectoryCollector {
  add(event: EventBody): void;
  /** Returns the trajectory. `textCommands` finds calls of the target in output that is plain text; null for events. */
  end(textCommands: (() => Iterable<string>) | null): RecordedTrajectory;
}

const MAX_COMMANDS = 2000;
const COMMAND_LENGTH = 2000;
const MAX_TOOLS = 1000;
const TOOL_NAME_LENGTH = 200;
/** They are part of every line of results.jsonl, so there are few, and they are short. */
const MAX_ACTIONS = 100;
const ACTION_LENGTH = 60;
/** Stands for all actions after MAX_ACTIONS. */
const MORE_ACTIONS = '…';
const ANSWER_LENGTH = 256 * 1024;

/** Events that may be recorded although an agent has printed nothing: its end, too, follows from its exit status. */
const OUR_EVENTS: ReadonlySet<EventBody['type']> = new Set([...(['setup_command', 'post_script', 'result'] as const)]);

const KEYWORDS = /^(?:(?:if|then|elif|else|while|until|do|!|\{)(?:\s+|$))+/;
const NO_COMMAND = /^(?:$|(?:done|fi|esac|\}|for|case|select)(?:\s|$))/;

/** `for x in a; do tool $x; done` is one command: `tool $x`. */
const simpleCommands = (script: string): string[] =>
  shellCalls(script, null)
    .map(({ line }) => line.replace(KEYWORDS, ''))
    .filter((line) => !NO_COMMAND.test(line));

const cut = (command: string): string => beginningOf(command, COMMAND_LENGTH);

/** Counts a name; ignores it if there are very many others. */
function countIn(counts: Map<string, number>, text: string): void {
  const name = beginningOf(text, TOOL_NAME_LENGTH);
  if (counts.has(name) || counts.size < MAX_TOOLS) counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Takes a name out of the counts again. */
function uncountIn(counts: Map<string, number>, text: string): void {
  const name = beginningOf(text, TOOL_NAME_LENGTH);
  const count = counts.get(name) ?? 0;
  if (count > 1) counts.set(name, count - 1);
  else counts.delete(name);
}

/** Exit statuses of a hook that works: by 2, it refuses what the agent is about to do. */
const HOOK_WORKED: readonly (number | null)[] = [0, 2];
const FAILURE_LENGTH = 200;

function afterRun(
  { worked, failed, failure }: HookRuns = { worked: 0, failed: 0, failure: '' },
  { exit_code, output }: Extract<EventBody, { type: 'extension' }>,
): HookRuns {
  if (HOOK_WORKED.includes(exit_code)) return { worked: worked + 1, failed, failure };
  const how = exit_code === null ? 'it did not end' : `exit code ${exit_code}`;
  const text = [how, output.trim()].filter((one) => one !== '').join(': ');
  return { worked, failed: failed + 1, failure: beginningOf(text, FAILURE_LENGTH) };
}

function remove<T>(list: T[], item: T | null): void {
  const index = item === null ? -1 : list.indexOf(item);
  if (index !== -1) list.splice(index, 1);
}

/** The additions of a call to a trajectory. Its result may say that nothing was executed. */
interface OpenCall {
  action: { name: string };
  line: CommandLine | null;
  parts: number;
}

/** Creates an empty collector. */
export function createTrajectoryCollector(): TrajectoryCollector {
  const commands: CommandLine[] = [];
  const tools = new Map<string, number>();
  const unexecuted = new Map<string, number>();
  const actions: { name: string }[] = [];
  const open = new Map<string, OpenCall>();
  const mcp = createMcpCollector();
  const skills = new Map<string, number>();
  const skillUses = createSkillUseFinder();
  const subagents = new Map<string, number>();
  const hooks = new Map<string, HookRuns>();
  let commandCount = 0;
  let [kept, moreActions] = [0, false];
  const unseen: Unseen = {};
  /** True if the agent has printed an event of its own. */
  let hasPrinted = false;
  /** True if a message may have been lost after the last one. */
  let isAnswerLost = false;
  let answer: string | null = null;
  const keep = (whole: string, parts: string[]): CommandLine | null => {
    commandCount += parts.length;
    const first = parts.slice(0, MAX_COMMANDS - kept);
    if (first.length === 0) return null;
    kept += first.length;
    const line = { whole: cut(whole), parts: first.map(cut) };
    commands.push(line);
    return line;
  };
  const count = (name: string): { name: string } => {
    countIn(tools, name);
    const action = { name };
    if (actions.length < MAX_ACTIONS) actions.push(action);
    else moreActions = true;
    return action;
  };
  const takeBack = ({ action, line, parts }: OpenCall): void => {
    uncountIn(tools, action.name);
    countIn(unexecuted, action.name);
    remove(actions, action);
    remove(commands, line);
    kept -= line?.parts.length ?? 0;
    commandCount -= parts;
  };
  return {
    add(event) {
      for (const { skill, isTakenBack } of skillUses.add(event))
        if (isTakenBack === true) uncountIn(skills, skill);
        else countIn(skills, skill);
      if (isOfProxy(event)) {
        mcp.add(event);
        return;
      }
      hasPrinted ||= !OUR_EVENTS.has(event.type) && !(event.type === 'message' && event.role === 'user');
      switch (event.type) {
        case 'message':
          if (event.role === 'assistant' && event.text.trim() !== '') {
            answer = beginningOf(event.text, ANSWER_LENGTH);
            isAnswerLost = false;
          }
          break;
        case 'tool_call': {
          if (event.executed === false) {
            countIn(unexecuted, event.name);
            break;
          }
          const action = count(event.name);
          const command = commandOf(event);
          const parts = command === null ? [] : simpleCommands(command);
          const line = command === null ? null : keep(command, parts);
          open.set(event.id, { action, line, parts: parts.length });
          break;
        }
        case 'tool_result': {
          const call = open.get(event.id);
          open.delete(event.id);
          if (call !== undefined && event.executed === false) takeBack(call);
          break;
        }
        case 'unknown':
          isAnswerLost ||= event.lost === 'event';
          if (event.lost !== undefined) unseen.calls = event.lost === 'event' ? UNREAD : event.kind;
          break;
        case 'extension':
          if (event.kind === 'subagent') countIn(subagents, event.name);
          if (event.kind === 'hook' && (hooks.has(event.name) || hooks.size < MAX_TOOLS))
            hooks.set(event.name, afterRun(hooks.get(event.name), event));
          break;
        case 'session':
        case 'reasoning':
        case 'usage':
        case 'error':
        case 'setup_command':
        case 'post_script':
        case 'result':
          break;
      }
    },
    end(textCommands) {
      if (textCommands === null && !hasPrinted) unseen.calls ??= 'the agent printed nothing';
      for (const line of textCommands?.() ?? []) keep(line, [line]);
      return {
        commands,
        commandCount,
        structured: textCommands === null,
        tools: Object.fromEntries(tools),
        ...(unexecuted.size === 0 ? {} : { unexecuted: Object.fromEntries(unexecuted) }),
        skills: Object.fromEntries(skills),
        ...(subagents.size === 0 ? {} : { subagents: Object.fromEntries(subagents) }),
        ...(hooks.size === 0 ? {} : { hooks: Object.fromEntries(hooks) }),
        answer,
        actions: [
          ...actions.map(({ name }) => beginningOf(name, ACTION_LENGTH)),
          ...(moreActions ? [MORE_ACTIONS] : []),
        ],
        mcp: mcp.end(),
        ...(isAnswerLost ? { unread: true } : unseen.calls === undefined ? {} : { unseen }),
      };
    },
  };
}
