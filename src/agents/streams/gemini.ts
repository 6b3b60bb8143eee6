import type { Json } from '../../lib/json.js';
import type { EventBody } from '../../results/records/events.js';
import type { StreamParser } from '../agent.js';
import { countOf, fieldsOf, textOf, type Fields } from './json-fields.js';
import { errorEvent, eventsOfLine, unknownEvent } from './stream-events.js';

const SHELL = 'run_shell_command';

/** Reads `gemini -o stream-json`. */
export function geminiStream(): StreamParser {
  let session: string | null = null;
  let requested: string | null = null;
  let turnsPassed = false;
  let pending = false;
  /** The pieces of the current answer, which ends when another event arrives. */
  let answer = '';

  const takeAnswer = (): EventBody[] => {
    const text = answer;
    answer = '';
    return text === '' ? [] : [{ type: 'message', role: 'assistant', text }];
  };
  const sessionOf = (modelUsed: string | null): EventBody => ({
    type: 'session',
    session_id: session,
    model_requested: requested,
    model_used: modelUsed,
  });

  /** Reports usage by model, because prices differ. The model with the most tokens comes last, as that of the run. */
  const usage = (models: Fields): EventBody[] =>
    Object.entries(models)
      .map(([model, stats]): [string, Fields] => [model, fieldsOf(stats)])
      .filter(([, stats]) => (countOf(stats['total_tokens']) ?? 0) > 0)
      .toSorted(([, a], [, b]) => (countOf(a['total_tokens']) ?? 0) - (countOf(b['total_tokens']) ?? 0))
      .flatMap(([model, stats]) => [sessionOf(model), usageOf(stats)]);

  const result = (native: Fields): EventBody[] => {
    const used = usage(fieldsOf(fieldsOf(native['stats'])['models']));
    if (used.length > 0) pending = false;
    const { type, message } = fieldsOf(native['error']);
    if (turnsPassed || type === 'FatalTurnLimitedError')
      return [...used, { type: 'result', ending: 'max_turns', exit_code: null }];
    if (native['status'] === 'success') return [...used, { type: 'result', ending: 'done', exit_code: null }];
    const text = textOf(message) ?? '';
    return text === '' ? used : [...used, errorEvent(text, statusOf(text), false)];
  };

  const readOther = (type: string, native: Fields): EventBody[] => {
    switch (type) {
      case 'init':
        session = textOf(native['session_id']);
        requested = textOf(native['model']);
        return [sessionOf(null)];
      case 'tool_use':
        return [callOf(native)];
      case 'tool_result':
        return [resultOf(native)];
      case 'error': {
        const text = textOf(native['message']) ?? '';
        turnsPassed ||= /maximum session turns/i.test(text); // the `result` then says success
        return [errorEvent(text, statusOf(text), false)];
      }
      case 'result':
        return result(native);
      default:
        return [unknownEvent(type)];
    }
  };

  const read = (native: Fields): EventBody[] => {
    const type = textOf(native['type']) ?? '';
    if (type === 'tool_use') pending = true;
    if (type !== 'message') return [...takeAnswer(), ...readOther(type, native)];
    if (native['role'] !== 'assistant') return []; // the prompt
    const before = native['delta'] === true ? [] : takeAnswer();
    answer += textOf(native['content']) ?? '';
    pending = true;
    return before;
  };

  return { line: (text) => eventsOfLine(text, read), end: takeAnswer, usagePending: () => pending };
}

function callOf(native: Fields): EventBody {
  const name = textOf(native['tool_name']) ?? '';
  const input: Json = native['parameters'] ?? null;
  return {
    type: 'tool_call',
    id: textOf(native['tool_id']) ?? '',
    name,
    input,
    command: name === SHELL ? textOf(fieldsOf(input)['command']) : null,
  };
}

/** An exit code is only stated in words, and only if a command printed nothing. A failed command is a "success". */
function resultOf(native: Fields): EventBody {
  const output = textOf(native['output']) ?? textOf(fieldsOf(native['error'])['message']) ?? '';
  const stated = /^(?:Command exited with code|Exit Code): (\d{1,3})$/im.exec(output)?.[1];
  const exitCode = stated === undefined ? null : Number(stated);
  return {
    type: 'tool_result',
    id: textOf(native['tool_id']) ?? '',
    exit_code: exitCode,
    is_error: native['status'] === 'error' || (exitCode !== null && exitCode !== 0),
    output,
    truncated: false,
  };
}

/** `input_tokens` includes cached tokens. Thinking tokens are only in the total. */
function usageOf(stats: Fields): EventBody {
  const [input, cached] = [countOf(stats['input_tokens']) ?? 0, countOf(stats['cached']) ?? 0];
  const output = countOf(stats['output_tokens']) ?? 0;
  return {
    type: 'usage',
    input: Math.max(0, input - cached),
    output,
    reasoning: Math.max(0, (countOf(stats['total_tokens']) ?? 0) - input - output),
    cache_read: cached,
    cache_write: null,
    cost_usd: null,
  };
}

/** Returns the HTTP status in the API's answer, which the message contains as JSON. Null if there is none. */
function statusOf(text: string): number | null {
  const status = /"code":\s*(\d{3})\b/.exec(text)?.[1];
  return status === undefined ? null : Number(status);
}
