import type { EventBody } from '#model';
import type { StreamParser } from '../agent.js';
import { wholeNumberOf, fieldsOf, stringOf, type Fields } from './json-fields.js';
import { jsonLines, type Numbers } from './json-lines.js';
import { errorEvent, lostEvent, NO_ANSWER, unknownEvent, usageEvent } from './stream-events.js';

/** Reads `opencode run --format json --thinking`. */
export function opencodeStream(): StreamParser {
  let session: string | null = null;
  /** The reason why the last step ended. Null during a step, and after an error. */
  let finished: string | null = null;
  /** True if the model has said or done anything in the step. */
  let hasOutput = false;
  /** True if a tool was called in the step. */
  let hasCalled = false;
  /** Set when the model begins to answer, and reset at the end of a step, which reports its usage. */
  let pending = false;
  let lost = false;
  /** True during a step: its tools are only reported when they have ended. */
  let isOpen = false;

  /** Between steps that call tools, the model has been asked, and nothing says so. */
  const isAsked = (): boolean => finished === 'tool-calls';
  const cutStep = (): EventBody[] => {
    const events = isOpen ? [lostEvent('a step that did not end: its last calls are not shown', 'call')] : [];
    isOpen = false;
    return events;
  };

  const eventsOf = (line: Fields, numbers: Numbers): EventBody[] => {
    const part = fieldsOf(line['part']);
    const text = stringOf(part['text']) ?? '';
    const kind = stringOf(line['type']) ?? '';
    switch (kind) {
      case 'step_start': {
        const events = cutStep();
        [lost, pending] = [lost || pending, true];
        [finished, isOpen, hasOutput, hasCalled] = [null, true, false, false];
        return events;
      }
      case 'text':
        [pending, hasOutput] = [true, true];
        return [{ type: 'message', role: 'assistant', text }];
      case 'reasoning':
        pending = true;
        return text === '' ? [] : [{ type: 'reasoning', text }];
      case 'tool_use':
        [pending, hasOutput, hasCalled] = [true, true, true];
        return toolUse(part);
      case 'step_finish':
        pending = isOpen = false;
        return [usage(part, numbers), ...stepEnd(stringOf(part['reason']))];
      case 'error':
        finished = null;
        isOpen = false;
        return [failure(fieldsOf(line['error']))];
      default:
        return [unknownEvent(kind)];
    }
  };

  const stepEnd = (reason: string | null): EventBody[] => {
    const hides = reason === 'tool-calls' && !hasCalled;
    const empty = !hasOutput && reason === 'unknown';
    [finished, hasOutput] = [empty ? null : reason, false];
    // OpenCode asks again at once, and without end.
    return [
      ...(hides ? [lostEvent('a step ended with calls that are not shown', 'call')] : []),
      ...(empty ? [errorEvent(NO_ANSWER, null, true)] : []),
    ];
  };

  const lines = jsonLines((line, numbers) => {
    const id = stringOf(line['sessionID']);
    if (id === null || id === session) return eventsOf(line, numbers);
    session = id;
    const began: EventBody = { type: 'session', session_id: id, model_requested: null, model_used: null };
    return [began, ...eventsOf(line, numbers)];
  });

  return {
    ...lines,
    failsByAnyError: true,
    begin(start) {
      lost ||= isAsked();
      lines.begin?.(start);
    },
    usagePending: () => pending || lost || isAsked() || lines.lacksUsage(),
    isOver: () => finished === 'stop',
    end() {
      const cut = cutStep();
      if (cut.length > 0) return cut;
      switch (finished) {
        case 'stop':
          return [{ type: 'result', ending: 'done', exit_code: null }];
        case null:
        case 'tool-calls': // another step should have followed
          return [];
        default:
          return [
            errorEvent(`the model stopped: ${finished}`, null, false),
            { type: 'result', ending: 'gave_up', exit_code: null },
          ];
      }
    },
  };
}

/** The call of a tool and its result, which are reported together when the tool has ended. */
function toolUse(part: Fields): EventBody[] {
  const [id, tool] = [stringOf(part['callID']) ?? '', stringOf(part['tool']) ?? ''];
  const state = fieldsOf(part['state']);
  const [input, details] = [state['input'] ?? null, fieldsOf(state['metadata'])];
  const exitCode = wholeNumberOf(details['exit']);
  // In place of a tool that it does not have, OpenCode calls one of its own.
  const isInvalid = tool === 'invalid';
  const name = isInvalid ? (stringOf(fieldsOf(input)['tool']) ?? tool) : tool;
  const isError = state['status'] === 'error' || isInvalid;
  const output = stringOf(state['status'] === 'error' ? state['error'] : state['output']) ?? '';
  const isUnexecuted = isInvalid || (isError && output.startsWith(invalidCall(tool)));
  return [
    {
      type: 'tool_call',
      id,
      name,
      input,
      command: name === 'bash' ? stringOf(fieldsOf(input)['command']) : null,
    },
    {
      type: 'tool_result',
      id,
      exit_code: exitCode,
      is_error: isError || (exitCode !== null && exitCode !== 0),
      output,
      truncated: details['truncated'] === true,
      ...(isUnexecuted ? { executed: false } : {}),
    },
  ];
}

/** The words of OpenCode for a call that it did not execute. */
const invalidCall = (tool: string): string => `The ${tool} tool was called with invalid arguments:`;

/** The usage of a step. No count includes another. A cost of 0 means that the model has no price. */
function usage(part: Fields, numbers: Numbers): EventBody {
  const tokens = fieldsOf(part['tokens']);
  const cache = fieldsOf(tokens['cache']);
  const cost = numbers.usd(part, 'cost');
  return usageEvent(
    {
      input: numbers.count(tokens, 'input'),
      output: numbers.count(tokens, 'output'),
      reasoning: numbers.count(tokens, 'reasoning'),
      cache_read: numbers.count(cache, 'read'),
      cache_write: numbers.count(cache, 'write'),
    },
    cost === 0 ? null : cost,
  );
}

function failure(error: Fields): EventBody {
  const data = fieldsOf(error['data']);
  const name = stringOf(error['name']) ?? 'error';
  const ref = stringOf(data['ref']);
  const message = stringOf(data['message']) ?? name;
  const wait = stringOf(fieldsOf(data['responseHeaders'])['retry-after']);
  return errorEvent(
    // OpenCode calls its own failures a "server error", which would be mistaken for one of the provider
    ref === null ? `${message}${wait === null ? '' : ` (retry-after: ${wait})`}` : `opencode failed (${name} ${ref})`,
    wholeNumberOf(data['statusCode']),
    data['isRetryable'] === true,
  );
}
