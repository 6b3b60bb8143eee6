import type { Json } from '#lib';
import type { EventBody } from '#model';
import type { StreamParser } from '../agent.js';
import { type AcpCall, addTo, callEvents, commandOf, inputOf, newCall, resultOf } from './acp-call.js';
import type { AcpReading } from './acp-reading.js';
import { type AcpCounts, countsOf, tokensOf, usageIn } from './acp-usage.js';
import { fieldsOf, type Fields, stringOf, wholeNumberOf } from './json-fields.js';
import { jsonLines, type Numbers } from './json-lines.js';
import { errorEvent, incompleteBy, lostEvent, NO_ANSWER, NO_WORDS, unknownEvent, usageEvent } from './stream-events.js';

/** Updates that say nothing of what the agent does. */
const SILENT: ReadonlySet<string> = new Set([
  ...['user_message_chunk', 'available_commands_update', 'current_mode_update', 'config_option_update'],
]);

/** The states of a call that has ended. The protocol has only the first two. */
const ENDED: ReadonlySet<Json | undefined> = new Set(['completed', 'failed', 'cancelled', 'canceled', 'rejected']);

/** The code of an error: the agent wants a login. */
const AUTH_REQUIRED = -32_000;

/** The classes of errors of Claude's agent. */
const STATUS_OF_KIND: ReadonlyMap<string | null, number> = new Map([
  ['authentication_failed', 401],
  ['billing_error', 402],
  ['model_not_found', 404],
  ['rate_limit', 429],
  ['server_error', 500],
  ['overloaded', 529],
]);

/** Reads what acp-program prints: its own lines, which have a field `acp`, and those of the agent. */
export function acpStream(reading: AcpReading): StreamParser {
  let start = 1;
  /** Updates count from the prompt on: before it, a session that is loaded tells its history. */
  let phase: 'before' | 'prompted' | 'answered' = 'before';
  let prompt: Json = null;
  let session: string | null = null;
  const open = new Map<string, AcpCall>();
  const ended = new Set<string>();
  /** Calls that an earlier start left open: this one may report that they were interrupted. */
  const former = new Map<string, AcpCall>();
  /** Events of the start before, which are known now that it has ended. */
  const held: EventBody[] = [];
  /** The message or thought whose pieces arrive. `hadUsage`: all usage before it is known. */
  let saying: { type: 'message' | 'reasoning'; id: string | null; text: string; hadUsage: boolean } | null = null;
  /** The last message since the last result of a call. Null if there is none. */
  let answer: { text: string; isFailure: boolean } | null = null;
  /** Number of messages and calls in this turn. */
  let shown = 0;
  /** True if Codex says that its thread does not work. */
  let isBroken = false;
  /** False if the model has done something that no report of tokens covers; `isLost`: and none will. */
  let [hasUsage, isLost] = [true, false];
  /** True if the tokens of the last request have been reported. */
  let isCounted = false;
  let counted: AcpCounts = {};
  let costUsd: number | null = null;

  const isFailure = (text: string): boolean => reading.isUntried !== true && reading.failed.test(text);

  /** The message or thought that is complete now. */
  const take = (): EventBody[] => {
    if (saying === null) return [];
    const { type, text, hadUsage } = saying;
    saying = null;
    // Vibe says a space where its model says nothing.
    if (text.trim() === '') return [];
    if (type === 'reasoning') return [{ type, text }];
    shown += 1;
    answer = { text, isFailure: isFailure(text) };
    if (answer.isFailure) hasUsage = hadUsage;
    return [{ type, role: answer.isFailure ? 'system' : 'assistant', text }];
  };

  const say = (type: 'message' | 'reasoning', update: Fields): EventBody[] => {
    const text = stringOf(fieldsOf(update['content'])['text']);
    if (text === null) return [unknownEvent(`a ${type} without text`)];
    if (text === '') return [];
    const id = stringOf(update['messageId']);
    // Copilot reports a failure as the next piece of an answer that was cut off.
    const isSame = saying?.type === type && saying.id === id && !(type === 'message' && isFailure(text));
    const before = isSame ? [] : take();
    saying ??= { type, id, text: '', hadUsage: hasUsage };
    saying.text += text;
    hasUsage = false;
    return before;
  };

  /** The events of a call, the first time. */
  const show = (call: AcpCall, isComplete: boolean): EventBody[] => {
    if (call.isShown) return [];
    call.isShown = true;
    shown += 1;
    return callEvents(call, isComplete);
  };
  /** Shows calls of which no more is said, once something else happens; all calls if the turn is over. */
  const showOpen = (except: string | null, isOver: boolean): EventBody[] =>
    [...open.values()]
      .filter((call) => isOver || (call.kind !== 'execute' && Object.keys(inputOf(call)).length > 0))
      .flatMap((call) => (call.id === except ? [] : show(call, isOver)));
  const close = (): EventBody[] => [...take(), ...showOpen(null, true)];

  /** Finds the call that an update or a question is about. */
  const find = (update: Fields, isQuestion: boolean): AcpCall | null => {
    const id = stringOf(update['toolCallId']);
    if (id === null) return null;
    const known = open.get(id) ?? (isQuestion || update['sessionUpdate'] === 'tool_call' ? undefined : former.get(id));
    if (known !== undefined) return known;
    hasUsage = false;
    return newCall(id, start);
  };

  const tool = (update: Fields, isQuestion: boolean): EventBody[] => {
    const what = stringOf(update['sessionUpdate']) ?? 'a question';
    if (ended.has(stringOf(update['toolCallId']) ?? ''))
      return what === 'tool_call' ? [lostEvent('two calls with one id', 'call')] : [];
    const isApart = isQuestion && reading.asksApart === true;
    const asked = isApart ? [...open.values()].findLast(({ kind }) => kind === update['kind']) : undefined;
    const call = asked ?? find(update, isQuestion);
    if (call === null) return [lostEvent(`${what} without an id`, 'call')];
    open.set(call.id, call);
    addTo(call, update, asked !== undefined);
    const isEnd = !isQuestion && ENDED.has(update['status']);
    const isWhole = isEnd || (isQuestion && update['kind'] === 'execute');
    const begun = isEnd || commandOf(call, isWhole) !== null ? show(call, isWhole) : [];
    if (!isEnd) return begun;
    open.delete(call.id);
    if (!former.delete(call.id)) ended.add(call.id);
    answer = null;
    if (reading.usage === 'chunk') isCounted = false;
    return [...begun, resultOf(call, update, reading)];
  };

  /** The events of a report of tokens. Zeros are none. */
  const report = (native: Fields, numbers: Numbers): EventBody[] => {
    const counts = countsOf(native, numbers);
    const usage = usageEvent(tokensOf(counts, counted, numbers));
    isCounted = usage.input !== null || usage.output !== null;
    if (!isCounted) return [];
    if (reading.usage === 'session') counted = counts;
    hasUsage = reading.usage !== 'last' && reading.undercounts !== true;
    return [costUsd === null ? usage : { ...usage, cost_usd: costUsd, cost_of_start: true }];
  };

  const readUpdate = (update: Fields, numbers: Numbers): EventBody[] => {
    const kind = stringOf(update['sessionUpdate']) ?? '';
    const meta = fieldsOf(update['_meta']);
    const isOfCall = kind === 'tool_call' || kind === 'tool_call_update';
    const before = showOpen(isOfCall ? stringOf(update['toolCallId']) : null, false);
    switch (kind) {
      case 'agent_message_chunk': {
        const said = say('message', update);
        const isReport = reading.usage === 'chunk' && meta['usage'] !== undefined;
        return [...before, ...said, ...(isReport ? report(fieldsOf(meta['usage']), numbers) : [])];
      }
      case 'agent_thought_chunk':
        return [...before, ...say('reasoning', update)];
      case 'tool_call':
      case 'tool_call_update':
        return [...take(), ...before, ...tool(update, false)];
      case 'usage_update': {
        const { amount, currency } = fieldsOf(update['cost']);
        if (reading.cost === true && currency === 'USD') costUsd = numbers.usd({ cost: amount ?? null }, 'cost');
        // It comes with the end of a request, unless its pieces say to which message they belong.
        return [...(saying?.id == null ? take() : []), ...before];
      }
      case 'session_info_update': {
        const state = fieldsOf(fieldsOf(meta['codex'])['threadStatus'])['type'] ?? 'idle';
        if (state !== 'idle') isBroken = state === 'systemError';
        return before;
      }
      default:
        return SILENT.has(kind) ? before : [...take(), ...before, unknownEvent(kind)];
    }
  };

  /** Returns the end of a turn that the agent claims to have ended: it also does if its provider did not serve it. */
  const proven = (): EventBody => {
    const said = answer;
    const isOneLine = reading.isUntried === true && shown === 1 && said?.text.trim().includes('\n') === false;
    if (isBroken || said?.isFailure === true || (isOneLine && reading.failed.test(said.text)))
      return failure(said?.text ?? 'its provider failed', null, true);
    if (said === null)
      return reading.isUntried === true
        ? unknownEvent('an end without an answer')
        : errorEvent(isCounted ? NO_WORDS : NO_ANSWER, null, !isCounted);
    return isCounted || reading.usage === 'none' || reading.isUntried === true
      ? { type: 'result', ending: 'done', exit_code: null }
      : errorEvent('its last request was not served: it reports no tokens of it', null, true);
  };

  const failure = (text: string, code: number | null, retryable: boolean, kind: string | null = null): EventBody => {
    const stated = /(?:\bHTTP |\blast status: |\(status=|^|: )([45]\d\d)\b/.exec(text)?.[1];
    const status =
      (code !== null && code >= 400 && code < 600 ? code : reading.statuses?.[code ?? 0]) ??
      STATUS_OF_KIND.get(kind) ??
      (stated === undefined ? undefined : Number(stated)) ??
      (code === AUTH_REQUIRED ? 401 : null);
    return errorEvent(text, status, retryable);
  };

  /** The error in an answer, and the step of ours that it answers, unless it is the prompt. */
  const failed = ({ code, message, data }: Fields, step: string | null): EventBody => {
    const { details, message: more, errorKind, status, statusCode } = fieldsOf(data);
    const parts = [step, stringOf(message), stringOf(data) ?? stringOf(details) ?? stringOf(more)];
    const text = parts.filter((part) => part !== null && part !== '').join(': ');
    const stated = wholeNumberOf(status) ?? wholeNumberOf(statusCode) ?? code;
    return failure(text, typeof stated === 'number' ? stated : null, false, stringOf(errorKind));
  };

  const end = ({ error, result }: Fields, numbers: Numbers): EventBody[] => {
    phase = 'answered';
    const events = close();
    const { stopReason } = fieldsOf(result);
    const isInAnswer = reading.usage !== 'none' && reading.usage !== 'chunk';
    events.push(...(isInAnswer ? report(usageIn(fieldsOf(result)), numbers) : []));
    if (error !== undefined) return [...events, failed(fieldsOf(error), null)];
    if (stopReason === 'end_turn' || (reading.failsAsRefusal === true && answer?.isFailure === true))
      return [...events, proven()];
    if (stopReason === 'max_turn_requests')
      return [...events, { type: 'result', ending: 'max_turns', exit_code: null }];
    const why = incompleteBy(stringOf(stopReason) ?? '');
    if (why !== null) return [...events, errorEvent(why, null, false)];
    return [...events, unknownEvent(`stop reason ${stringOf(stopReason) ?? 'missing'}`)];
  };

  const readOwn = (native: Fields): EventBody[] => {
    switch (stringOf(native['acp'])) {
      case 'session': {
        const [session_id, model_requested] = [stringOf(native['id']), stringOf(native['model'])];
        if (reading.keepsTotals !== true || session_id !== session) counted = {};
        session = session_id;
        return [{ type: 'session', session_id, model_requested, model_used: null }];
      }
      case 'prompt':
        [phase, prompt] = ['prompted', native['id'] ?? null];
        [answer, shown, isBroken, isCounted] = [null, 0, false, false];
        return [];
      case 'answer': // the one to the prompt is a line of the agent
        return phase === 'before' ? [failed(fieldsOf(native['error']), stringOf(native['step']))] : [];
      case 'ended':
        return close();
      case null:
      default:
        return [];
    }
  };

  const readLine = (native: Fields, numbers: Numbers): EventBody[] => {
    if ('acp' in native) return readOwn(native);
    const { method, id, params } = native;
    if (method === undefined && id === undefined) return [unknownEvent('a line of no protocol')];
    if (method === undefined)
      return phase === 'prompted' && (prompt === null || id === prompt) ? end(native, numbers) : [];
    if (phase === 'before') return [];
    if (method === 'session/update') return readUpdate(fieldsOf(fieldsOf(params)['update']), numbers);
    // Vibe repeats a request that was not served.
    if (method === '_session/retrying') {
      const why = stringOf(fieldsOf(params)['detail']) ?? 'no reason given';
      return [failure(`its request was not served, and is repeated (${why})`, null, true)];
    }
    if (method !== 'session/request_permission') return [unknownEvent(stringOf(method) ?? 'a request')];
    return [...take(), ...tool(fieldsOf(fieldsOf(params)['toolCall']), true)];
  };

  const release = (): EventBody[] => held.splice(0);
  const lines = jsonLines((native, numbers) => [...release(), ...readLine(native, numbers)]);

  return {
    ...lines,
    begin(number) {
      lines.begin?.(number);
      held.push(...close());
      for (const [id, call] of open) former.set(id, call);
      // No later report includes what a process has used that did not end its turn.
      isLost ||= !hasUsage;
      [start, phase, hasUsage, costUsd] = [number, 'before', true, null];
      open.clear();
      ended.clear();
    },
    end: () => [...release(), ...close()],
    usagePending: () => isLost || !hasUsage || lines.lacksUsage(),
    ...(reading.hidesFailures === true ? { hidesFailures: true as const } : {}),
    ...(reading.leavesCallsOpen === true ? { leavesCallsOpen: true as const } : {}),
  };
}
