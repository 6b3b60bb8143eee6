import type { EventBody } from '../../results/records/events.js';
import type { StreamParser } from '../agent.js';
import { countOf, fieldsOf, numberOf, textOf, type Fields } from './json-fields.js';
import { errorEvent, eventsOfLine, NO_ANSWER, unknownEvent } from './stream-events.js';

/** Reads `opencode run --format json --thinking`. */
export function opencodeStream(): StreamParser {
  let session: string | null = null;
  /** Why the last step ended. Null during a step, and after an error. */
  let finished: string | null = null;
  /** Whether the model has said or done anything in the step. */
  let said = false;
  /** Reset at the end of a step, which reports its usage. */
  let pending = false;
  let lost = false;

  const eventsOf = (line: Fields): EventBody[] => {
    const part = fieldsOf(line['part']);
    const text = textOf(part['text']) ?? '';
    const kind = textOf(line['type']) ?? '';
    switch (kind) {
      case 'step_start':
        [finished, said] = [null, false];
        [lost, pending] = [lost || pending, false];
        return [];
      case 'text':
        [pending, said] = [true, true];
        return [{ type: 'message', role: 'assistant', text }];
      case 'reasoning':
        pending = true;
        return text === '' ? [] : [{ type: 'reasoning', text }];
      case 'tool_use':
        [pending, said] = [true, true];
        return toolUse(part);
      case 'step_finish':
        pending = false;
        return [...usage(part), ...stepEnd(textOf(part['reason']))];
      case 'error':
        finished = null;
        return [failure(fieldsOf(line['error']))];
      default:
        return [unknownEvent(kind)];
    }
  };

  const stepEnd = (reason: string | null): EventBody[] => {
    const empty = !said && reason === 'unknown';
    [finished, said] = [empty ? null : reason, false];
    // OpenCode asks again at once, and without end.
    return empty ? [errorEvent(NO_ANSWER, null, true)] : [];
  };

  const inSession = (line: Fields): EventBody[] => {
    const id = textOf(line['sessionID']);
    if (id === null || id === session) return eventsOf(line);
    session = id;
    const began: EventBody = { type: 'session', session_id: id, model_requested: null, model_used: null };
    return [began, ...eventsOf(line)];
  };

  return {
    line: (text) => eventsOfLine(text, inSession),
    usagePending: () => pending || lost,
    isOver: () => finished === 'stop',
    end() {
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
  const [id, name] = [textOf(part['callID']) ?? '', textOf(part['tool']) ?? ''];
  const state = fieldsOf(part['state']);
  const [input, details] = [state['input'] ?? null, fieldsOf(state['metadata'])];
  const exitCode = countOf(details['exit']);
  const isError = state['status'] === 'error';
  return [
    {
      type: 'tool_call',
      id,
      name,
      input,
      command: name === 'bash' ? textOf(fieldsOf(input)['command']) : null,
    },
    {
      type: 'tool_result',
      id,
      exit_code: exitCode,
      is_error: isError || (exitCode !== null && exitCode !== 0),
      output: textOf(isError ? state['error'] : state['output']) ?? '',
      truncated: details['truncated'] === true,
    },
  ];
}

/** The usage of a step. No count includes another. A cost of 0 means that the model has no price. */
function usage(part: Fields): EventBody[] {
  const tokens = fieldsOf(part['tokens']);
  const cache = fieldsOf(tokens['cache']);
  const cost = numberOf(part['cost']);
  return [
    {
      type: 'usage',
      input: numberOf(tokens['input']),
      output: numberOf(tokens['output']),
      reasoning: numberOf(tokens['reasoning']),
      cache_read: numberOf(cache['read']),
      cache_write: numberOf(cache['write']),
      cost_usd: cost === 0 ? null : cost,
    },
  ];
}

function failure(error: Fields): EventBody {
  const data = fieldsOf(error['data']);
  const name = textOf(error['name']) ?? 'error';
  const ref = textOf(data['ref']);
  const message = textOf(data['message']) ?? name;
  const wait = textOf(fieldsOf(data['responseHeaders'])['retry-after']);
  return errorEvent(
    // OpenCode calls its own failures a "server error", which would be mistaken for one of the provider
    ref === null
      ? `${message}${wait === null ? '' : ` (retry-after: ${wait})`}`
      : `opencode failed (${name} ${ref})`,
    countOf(data['statusCode']),
    data['isRetryable'] === true,
  );
}
