import { beginningOf, endOf, type Json } from '#lib';
import type { EventBody, RunEvent } from '../records/events.js';
import { isFailedResult } from './text-result.js';
import { commandOf } from './structured-commands.js';
import { createSubjectUseCollector, type SubjectUse } from './subject-use.js';

/** A command of an agent, or another use of a tool. Long texts are cut and end with an ellipsis. */
export interface Action {
  /** The shell command; null if the tool is not a shell. */
  command: string | null;
  tool: string;
  /** JSON. */
  input: string;
  /** Null: it still ran when the agent ended. */
  end: { exitCode: number | null; isError: boolean } | null;
  /** The beginning of its output if it failed, else empty. */
  output: string;
}

/** The log of what an agent did and said, for people who read a report. Its texts are as redacted as the events. */
export interface ActionLog {
  /** In order. If there are very many, only the first ones. */
  actions: readonly Action[];
  /** Number of actions after those. */
  more: number;
  /** The agent's last message; null if there is none. If its output is text, the end of that. */
  answer: string | null;
  /** The output is plain text, in which commands and other uses of tools cannot be told from what the agent said. */
  isText: boolean;
  /** Uses of skills and MCP servers. Calls of a server are among the actions too, as the agent reports them. */
  use: SubjectUse;
}

const MAX_ACTIONS = 5000;
const COMMAND_LENGTH = 2000;
const OUTPUT_LENGTH = 2000;
const ANSWER_LENGTH = 16 * 1024;

/** True if the command failed; false while it runs. */
export const hasFailed = ({ end }: Action): boolean =>
  end !== null && isFailedResult({ exit_code: end.exitCode, is_error: end.isError });

/** True if a tool was called, or the output shows in another way that calls of tools would be seen. */
const isStructured = ({ type }: EventBody): boolean =>
  ['session', 'reasoning', 'tool_call', 'tool_result', 'usage', 'unknown'].includes(type);

/** Collects actions from the events of all starts of a session, in bounded memory. */
export interface ActionCollector {
  add(event: RunEvent): void;
  end(): ActionLog;
}

/** Creates an empty collector. `printsText`: the agent's output is plain text; null: unknown, so its events tell. */
export function createActionCollector(printsText: boolean | null = null): ActionCollector {
  const actions: Action[] = [];
  const use = createSubjectUseCollector();
  let open = new Map<string, Action>();
  let [attempt, more, isText] = [0, 0, printsText ?? true];
  let last: Action | undefined;
  let answer: string | null = null;
  return {
    add(event) {
      // Ids are unique only within a start.
      if (event.attempt !== attempt) open = new Map();
      attempt = event.attempt;
      isText &&= printsText ?? !isStructured(event);
      use.add(event);
      if (event.type === 'message') {
        if (event.role === 'assistant' && event.text.trim() !== '') answer = event.text;
      } else if (event.type === 'tool_call') {
        last = actionOf(event);
        open.set(event.id, last);
        if (actions.length < MAX_ACTIONS) actions.push(last);
        else more += 1;
      } else if (event.type === 'tool_result') {
        // A result whose id matches no call belongs to the call before it.
        const action = open.get(event.id) ?? last;
        open.delete(event.id);
        if (action === undefined) return;
        action.end = { exitCode: event.exit_code, isError: event.is_error };
        if (hasFailed(action)) action.output = beginningOf(event.output.trim(), OUTPUT_LENGTH);
      }
    },
    end: () => ({
      actions,
      more,
      isText,
      use: use.end(),
      answer: answer === null ? null : cutAnswer(answer.trim(), isText),
    }),
  };
}

const cutAnswer = (answer: string, isText: boolean): string =>
  isText ? endOf(answer, ANSWER_LENGTH) : beginningOf(answer, ANSWER_LENGTH);

function actionOf(call: Extract<EventBody, { type: 'tool_call' }>): Action {
  const command = commandOf(call);
  const input: Json = call.input;
  return {
    command: command === null ? null : beginningOf(command, COMMAND_LENGTH),
    tool: call.name,
    input: command === null ? beginningOf(JSON.stringify(input), COMMAND_LENGTH) : '',
    end: null,
    output: '',
  };
}
