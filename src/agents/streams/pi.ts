import type { Json } from '#lib';
import type { EventBody } from '#model';
import type { StreamParser } from '../agent.js';
import { wholeNumberOf, fieldsOf, listOf, stringOf, type Fields } from './json-fields.js';
import { jsonLines, type Numbers } from './json-lines.js';
import { errorEvent, lostEvent, NO_ANSWER, unknownEvent, usageEvent } from './stream-events.js';

/** Lines that repeat other lines, contain pieces of them, or only report progress. */
const REPEATS = new Set([
  'agent_start',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'tool_execution_update',
  'auto_retry_start',
  'auto_retry_end',
  'compaction_start',
  'compaction_end',
]);

/** The message of an error for which pi has no words. */
const UNNAMED = 'An unknown error occurred';

/** Reads `pi --mode json`. */
export function piStream(): StreamParser {
  let session: string | null = null;
  let model: string | null = null;
  /** Set when the model is asked, and reset at the end of its message, which reports its usage. */
  let pending = false;
  let lost = false;
  /** Ids of calls that began. */
  const called = new Set<string>();

  const sessionEvent = (): EventBody => ({
    type: 'session',
    session_id: session,
    model_requested: null,
    model_used: model,
  });

  const message = (native: Fields, numbers: Numbers): EventBody[] => {
    if (native['role'] !== 'assistant') return []; // the prompt, or the result of a tool that ended before
    pending = false;
    const usage = usageOf(fieldsOf(native['usage']), numbers);
    // An answer that was refused has used nothing; one that was cut off may not be counted.
    const isCounted = Object.values(usage).some((value) => typeof value === 'number');
    lost ||= !isCounted && (listOf(native['content']).length > 0 || native['stopReason'] !== 'error');
    const used = modelOf(native);
    const changed = used !== model;
    model = used;
    return [
      ...(changed ? [sessionEvent()] : []),
      ...listOf(native['content']).flatMap((part) => partOf(fieldsOf(part))),
      ...(isCounted ? [usage] : []),
      ...(native['stopReason'] === 'error' ? [failureOf(native)] : []),
      ...(saysNothing(native) ? [errorEvent(NO_ANSWER, null, true)] : []),
    ];
  };

  const lines = jsonLines((native, numbers) => {
    const type = stringOf(native['type']) ?? '';
    if (type === 'turn_start' || type === 'message_update') pending = true;
    // It asks a model for a summary, and does not say what that used.
    if (type === 'compaction_start') lost = true;
    if (REPEATS.has(type)) return [];
    switch (type) {
      case 'session':
        session = stringOf(native['id']);
        [lost, pending] = [lost || pending, false];
        return [sessionEvent()];
      case 'message_end':
        return message(fieldsOf(native['message']), numbers);
      case 'tool_execution_start':
        called.add(stringOf(native['toolCallId']) ?? '');
        return [callOf(native)];
      case 'tool_execution_end':
        return [resultOf(native)];
      case 'agent_end':
        return [
          ...hiddenCalls(listOf(native['messages']), called),
          ...endOf(fieldsOf(listOf(native['messages']).at(-1))),
        ];
      default:
        return [unknownEvent(type)];
    }
  });

  return {
    ...lines,
    end: () => [],
    usagePending: () => pending || lost || lines.lacksUsage(),
  };
}

/** An answer without anything in it, for example because a page came in its place. */
const saysNothing = ({ content, stopReason, usage }: Fields): boolean =>
  stopReason === 'stop' && listOf(content).length === 0 && !wholeNumberOf(fieldsOf(usage)['totalTokens']);

function modelOf(native: Fields): string | null {
  const [provider, model] = [stringOf(native['provider']), stringOf(native['model'])];
  return model === null ? null : provider === null ? model : `${provider}/${model}`;
}

/** Omits tool calls, which are reported again when they begin. */
function partOf(part: Fields): EventBody[] {
  const text = stringOf(part['text']);
  if (part['type'] === 'text' && text !== null) return [{ type: 'message', role: 'assistant', text: text }];
  const thought = stringOf(part['thinking']);
  return part['type'] === 'thinking' && thought !== null ? [{ type: 'reasoning', text: thought }] : [];
}

/** Input excludes cached tokens. Output includes reasoning tokens, which are not reported separately. */
function usageOf(usage: Fields, numbers: Numbers): Extract<EventBody, { type: 'usage' }> {
  const cost = numbers.usd(fieldsOf(usage['cost']), 'total');
  return usageEvent(
    {
      input: numbers.count(usage, 'input'),
      output: numbers.count(usage, 'output'),
      reasoning: null,
      cache_read: numbers.count(usage, 'cacheRead'),
      cache_write: numbers.count(usage, 'cacheWrite'),
    },
    cost === 0 ? null : cost, // pi reports 0 for a model without a price
  );
}

function failureOf(native: Fields): EventBody {
  const given = stringOf(native['errorMessage']) ?? '';
  // `pi` has no words for an answer that the provider ended, such as a refusal.
  const message = given === UNNAMED ? `stop_reason: refusal, or another that pi does not name (${given})` : given;
  const status = /^([45]\d\d)\b|"code":\s*([45]\d\d)\b/.exec(message);
  return errorEvent(message, status === null ? null : Number(status[1] ?? status[2]), false);
}

function callOf(native: Fields): EventBody {
  const name = stringOf(native['toolName']) ?? '';
  const input = native['args'] ?? null;
  return {
    type: 'tool_call',
    id: stringOf(native['toolCallId']) ?? '',
    name,
    input,
    command: name === 'bash' ? stringOf(fieldsOf(input)['command']) : null,
  };
}

function resultOf(native: Fields): EventBody {
  const result = fieldsOf(native['result']);
  const output = listOf(result['content'])
    .map((part) => stringOf(fieldsOf(part)['text']) ?? '')
    .join('');
  const failed = native['isError'] === true;
  const exitCode = /Command exited with code (\d{1,3})\s*$/.exec(output)?.[1];
  const tool = stringOf(native['toolName']) ?? '';
  const isUnexecuted = failed && exitCode === undefined && isRefused(output, tool);
  const code = failed ? (exitCode === undefined ? null : Number(exitCode)) : 0;
  return {
    type: 'tool_result',
    id: stringOf(native['toolCallId']) ?? '',
    exit_code: tool === 'bash' ? code : null,
    is_error: failed,
    output,
    truncated: fieldsOf(fieldsOf(result['details'])['truncation'])['truncated'] === true,
    ...(isUnexecuted ? { executed: false } : {}),
  };
}

/**
 * True if pi itself refused the call, in its own words: they are all of the output, so no tool can have printed them.
 */
const isRefused = (output: string, tool: string): boolean =>
  output === `Tool ${tool} not found` ||
  (output.startsWith(`Validation failed for tool "${tool}":\n`) && /\nReceived arguments:\n\{[^]*\}$/.test(output));

/** The last line repeats all messages: an event if one of them is the result of a call that has not been shown. */
function hiddenCalls(messages: readonly Json[], called: ReadonlySet<string>): EventBody[] {
  const isHidden = ({ role, toolCallId }: Fields): boolean =>
    role === 'toolResult' && !called.has(stringOf(toolCallId) ?? '');
  return messages.map(fieldsOf).some(isHidden) ? [lostEvent('a call that is not shown has a result', 'call')] : [];
}

/** Returns no result after an error or a signal, because pi may retry or be restarted. */
function endOf(last: Fields): EventBody[] {
  const { stopReason } = last;
  if (saysNothing(last)) return [];
  if (stopReason === 'stop') return [{ type: 'result', ending: 'done', exit_code: null }];
  // The answer reached the model's maximum length.
  return stopReason === 'length' ? [{ type: 'result', ending: 'gave_up', exit_code: null }] : [];
}
