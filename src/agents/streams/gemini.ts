import type { Json } from '#lib';
import type { EventBody } from '#model';
import type { StreamParser } from '../agent.js';
import { wholeNumberOf, fieldsOf, stringOf, type Fields } from './json-fields.js';
import { jsonLines, type Numbers } from './json-lines.js';
import { errorEvent, incompleteBy, miscounted, unknownEvent, usageEvent } from './stream-events.js';

const SHELL = 'run_shell_command';

/** The types of errors of calls that were not executed. */
const UNEXECUTED: ReadonlySet<string | null> = new Set(['tool_not_registered', 'invalid_tool_params']);

/** Errors of answers that had begun. */
const BROKEN_ANSWER = /\b(?:stream|terminated|aborted|empty)\b/i;

/** Reads `gemini -o stream-json`. */
export function geminiStream(): StreamParser {
  let session: string | null = null;
  let requested: string | null = null;
  let turnsPassed = false;
  /** Set by answers, and by results that do not count them all. */
  let pending = false;
  /** Number of calls since the beginning of the start. Those of subagents are not shown. */
  let calls = 0;
  /** True if an answer has begun since the last result of a tool. */
  let isAnswering = false;
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
  const usage = (models: Fields, numbers: Numbers): EventBody[] =>
    Object.entries(models)
      .map(([model, stats]): [string, Fields] => [model, fieldsOf(stats)])
      .filter(([, stats]) => stats['total_tokens'] !== 0)
      .toSorted(([, a], [, b]) => (wholeNumberOf(a['total_tokens']) ?? 0) - (wholeNumberOf(b['total_tokens']) ?? 0))
      .flatMap(([model, stats]) => [sessionOf(model), usageOf(stats, numbers)]);

  const result = (native: Fields, numbers: Numbers): EventBody[] => {
    const stats = fieldsOf(native['stats']);
    const used = [
      ...miscounted('calls of tools', wholeNumberOf(stats['tool_calls']), calls),
      ...usage(fieldsOf(stats['models']), numbers),
    ];
    const { type, message } = fieldsOf(native['error']);
    const text = stringOf(message) ?? '';
    const isSuccess = native['status'] === 'success';
    // The counts leave out answers that were cut off or empty. A request that was refused has none.
    const isCut = isSuccess ? !isAnswering : isAnswering || BROKEN_ANSWER.test(text);
    pending = isCut || (pending && !used.some((event) => event.type === 'usage'));
    isAnswering = false;
    if (turnsPassed || type === 'FatalTurnLimitedError')
      return [...used, { type: 'result', ending: 'max_turns', exit_code: null }];
    if (isSuccess) return [...used, { type: 'result', ending: 'done', exit_code: null }];
    return text === '' ? used : [...used, errorEvent(text, statusOf(text), false)];
  };

  const readOther = (type: string, native: Fields, numbers: Numbers): EventBody[] => {
    switch (type) {
      case 'init':
        calls = 0;
        session = stringOf(native['session_id']);
        requested = stringOf(native['model']);
        return [sessionOf(null)];
      case 'tool_use':
        return [callOf(native)];
      case 'tool_result':
        isAnswering = false;
        return [resultOf(native)];
      case 'error': {
        const text = stringOf(native['message']) ?? '';
        turnsPassed ||= /maximum session turns/i.test(text); // the `result` then says success
        return [errorEvent(text, statusOf(text), false)];
      }
      case 'result':
        return result(native, numbers);
      default:
        return [unknownEvent(type)];
    }
  };

  const lines = jsonLines((native, numbers) => {
    const type = stringOf(native['type']) ?? '';
    if (type === 'tool_use') {
      pending = isAnswering = true;
      calls++;
    }
    if (type !== 'message') return [...takeAnswer(), ...readOther(type, native, numbers)];
    if (native['role'] !== 'assistant') return []; // the prompt
    const before = native['delta'] === true ? [] : takeAnswer();
    answer += stringOf(native['content']) ?? '';
    pending = isAnswering = true;
    return before;
  });

  return {
    ...lines,
    hidesFailures: true,
    end: takeAnswer,
    usagePending: () => pending || lines.lacksUsage(),
  };
}

function callOf(native: Fields): EventBody {
  const name = stringOf(native['tool_name']) ?? '';
  const input: Json = native['parameters'] ?? null;
  return {
    type: 'tool_call',
    id: stringOf(native['tool_id']) ?? '',
    name,
    input,
    command: name === SHELL ? stringOf(fieldsOf(input)['command']) : null,
  };
}

/** An exit code is only stated in words, and only if a command printed nothing. A failed command is a "success". */
function resultOf(native: Fields): EventBody {
  const output = stringOf(native['output']) ?? stringOf(fieldsOf(native['error'])['message']) ?? '';
  const stated = /^(?:Command exited with code|Exit Code): (\d{1,3})$/im.exec(output)?.[1];
  const exitCode = stated === undefined ? null : Number(stated);
  return {
    type: 'tool_result',
    id: stringOf(native['tool_id']) ?? '',
    exit_code: exitCode,
    is_error: native['status'] === 'error' || (exitCode !== null && exitCode !== 0),
    output,
    truncated: false,
    ...(UNEXECUTED.has(stringOf(fieldsOf(native['error'])['type'])) ? { executed: false } : {}),
  };
}

/** `input_tokens` includes cached tokens. Thinking tokens are only in the total. */
function usageOf(stats: Fields, numbers: Numbers): EventBody {
  const count = (name: string): number | null => numbers.count(stats, name);
  const [input, output, cached] = [count('input_tokens'), count('output_tokens'), count('cached')];
  return usageEvent({
    input: numbers.without(input, [cached ?? 0], 'input_tokens'),
    output,
    reasoning: numbers.without(count('total_tokens'), [input, output], 'total_tokens'),
    cache_read: cached,
    cache_write: null,
  });
}

/** Returns the HTTP status in the API's answer, which the message contains as JSON. Null if there is none. */
function statusOf(text: string): number | null {
  const status = /"code":\s*(\d{3})\b/.exec(text)?.[1];
  return status === undefined ? null : Number(status);
}

/**
 * Reads records of answers in the log of telemetry: JSON with a field a line, each from the name of the event on; the
 * first may lack its beginning. A record has a reason for each piece of the answer. Other answers are those of
 * subagents and helpers. `session`: null for that of the latest record.
 */
export function sessionProblem(records: string, session: string | null): string | null {
  const last = records
    .split(/^ {4}"event\.name": .*$/m)
    .slice(1)
    .findLast(
      (record) =>
        /^ {4}"role": "main"/m.test(record) && (session === null || record.includes(`\n    "prompt_id": "${session}"`)),
    );
  const reason = /^ {4}"finish_reasons": \[[^\]]*"(\w+)"\s*\]/m.exec(last ?? '')?.[1] ?? '';
  return incompleteBy(reason);
}
