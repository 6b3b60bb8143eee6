import { parseJson } from '#lib';
import { baseName, type EventBody, splitCommands, type TokenUsage, unlessZero } from '#model';
import type { StreamParser } from '../agent.js';
import { wholeNumberOf, fieldsOf, stringOf, type Fields } from './json-fields.js';
import { jsonLines, type Numbers } from './json-lines.js';
import { errorEvent, lostEvent, unknownEvent } from './stream-events.js';

/** Items that are tool calls. They are reported when they begin and, with the result, when they end. */
const TOOLS = new Set([
  'command_execution',
  'file_change',
  'mcp_tool_call',
  'web_search',
  'todo_list',
  'collab_tool_call',
]);

/** Fields of an item that belong to the result of a call rather than to the call. */
const OUTCOME = new Set(['id', 'type', 'status', 'result', 'error', 'aggregated_output', 'exit_code']);

/** The error of a turn in which the model has not said anything at the end. */
const WITHHELD = "the model's answer was withheld or empty";

/** Codex's text in place of the omitted part of an output (codex-rs/utils/string/src/truncate.rs). */
const CUT = /…\d+ (?:tokens|chars) truncated…|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]/;

/** Counts as Codex reports them, each with its name: input includes what was read from a cache or written to it. */
const COUNTS = {
  input: 'input_tokens',
  cached: 'cached_input_tokens',
  written: 'cache_write_input_tokens',
  output: 'output_tokens',
  reasoning: 'reasoning_output_tokens',
} as const;
type Counts = Record<keyof typeof COUNTS, number | null>;
const NO_TOKENS: Counts = { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 };

/** Reads the counts of Codex, in which `base` has been counted before. */
function codexUsage(
  native: Fields,
  numbers: Numbers,
  base: Counts = NO_TOKENS,
): { tokens: TokenUsage; counts: Counts } {
  const total = (name: keyof Counts): number | null => numbers.count(native, COUNTS[name]);
  const counts = {
    input: total('input'),
    cached: total('cached'),
    written: total('written'),
    output: total('output'),
    reasoning: total('reasoning'),
  };
  const since = (name: keyof Counts): number | null => numbers.without(counts[name], [base[name] ?? 0], COUNTS[name]);
  const [cached, written, reasoning] = [since('cached'), since('written'), since('reasoning')];
  const tokens = {
    input: numbers.without(since('input'), [cached ?? 0, written ?? 0], COUNTS.input),
    output: numbers.without(since('output'), [reasoning ?? 0], COUNTS.output),
    reasoning,
    cache_read: cached,
    cache_write: written,
  };
  return { tokens: unlessZero(tokens), counts };
}

/** Reads `codex exec --json`. */
export function codexStream(): StreamParser {
  let thread: string | null = null;
  /** Items are numbered from 0 at every start. */
  let starts = 0;
  /** Number of the next item of the start. */
  let next = 0;
  /** The counts at the last report. Codex counts tokens from the beginning of the thread. */
  let reported = NO_TOKENS;
  let lastError: string | null = null;
  /** False while the model has not said anything since the turn began, or since its last tool. */
  let answered = true;
  /** Reset at the end of a turn, which reports all that the thread has used, including failed turns. */
  let pending = false;
  let lost = false;
  const called = new Set<string>();

  const begin = (id: string | null): EventBody[] => {
    if (id !== thread) [reported, lost, pending] = [NO_TOKENS, lost || pending, false];
    thread = id;
    starts++;
    next = 0;
    return [{ type: 'session', session_id: id, model_requested: null, model_used: null }];
  };

  /** An event if items between those that are shown are missing. */
  const gapBefore = (native: Fields): EventBody[] => {
    const number = Number(/^item_(\d+)$/.exec(stringOf(native['id']) ?? '')?.[1] ?? NaN);
    const isMissing = starts > 0 && number > next;
    if (number >= next) next = number + 1;
    return isMissing ? [lostEvent('items before one that is shown are missing', 'call')] : [];
  };

  const item = (stage: string, native: Fields): EventBody[] => {
    const kind = stringOf(native['type']) ?? '';
    const ended = stage === 'item.completed';
    if (kind !== 'error') pending = true;
    if (TOOLS.has(kind)) {
      answered = false;
      const number = stringOf(native['id']) ?? '';
      const id = starts > 1 ? `${number}.${starts}` : number;
      const call = called.has(id) ? [] : [callOf(id, kind, native)];
      called.add(id);
      return ended ? [...call, resultOf(id, native)] : call;
    }
    const text = stringOf(native['text']) ?? stringOf(native['message']) ?? '';
    if (kind === 'agent_message') answered = ended && text !== '';
    if (kind === 'agent_message') return ended ? [{ type: 'message', role: 'assistant', text }] : [];
    if (kind === 'reasoning') return ended ? [{ type: 'reasoning', text }] : [];
    // A warning, for example about an unknown model, and not a failure.
    if (kind === 'error') return ended ? [{ type: 'message', role: 'system', text }] : [];
    return [unknownEvent(`${stage} ${kind}`)];
  };

  const failure = (text: string): EventBody[] => {
    lastError = text;
    const refusal = refusalOf(text);
    if (refusal !== null) return [errorEvent(refusal, 400, false)];
    return [errorEvent(text, statusOf(text), text.startsWith('Reconnecting'))];
  };

  /** A turn whose end does not say what it has used leaves its usage open. A later one includes it. */
  const usage = (native: Fields, numbers: Numbers): EventBody[] => {
    const { tokens, counts } = codexUsage(native, numbers, reported);
    pending = tokens.input === null || tokens.output === null;
    if (pending) return [];
    reported = counts;
    return [{ type: 'usage', ...tokens, cost_usd: null }];
  };

  const lines = jsonLines((native, numbers) => {
    const type = stringOf(native['type']) ?? '';
    switch (type) {
      case 'thread.started':
        return begin(stringOf(native['thread_id']));
      case 'turn.started':
        answered = false;
        return [];
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return [...gapBefore(fieldsOf(native['item'])), ...item(type, fieldsOf(native['item']))];
      case 'error':
        return failure(stringOf(native['message']) ?? '');
      case 'turn.failed': {
        const message = stringOf(fieldsOf(native['error'])['message']) ?? '';
        return message === lastError ? [] : failure(message); // usually repeats the error before it
      }
      case 'turn.completed':
        return [
          ...usage(fieldsOf(native['usage']), numbers),
          // Codex leaves out a refusal, and then ends as if all were well.
          answered ? { type: 'result', ending: 'done', exit_code: null } : errorEvent(WITHHELD, null, false),
        ];
      default:
        return [unknownEvent(type)];
    }
  });

  return {
    ...lines,
    leavesCallsOpen: true,
    end: () => [],
    usagePending: () => pending || lost || lines.lacksUsage(),
  };
}

/**
 * Returns the usage in a line of the file of a session ("rollout"), which has a record for each answer; null for other
 * lines.
 */
export function codexUsageInLog(line: string): TokenUsage | null {
  let found: TokenUsage | null = null;
  const { line: read } = jsonLines(({ type, payload }, numbers) => {
    if (type === 'token_usage_record') found = codexUsage(fieldsOf(fieldsOf(payload)['usage']), numbers).tokens;
    return [];
  });
  read(line);
  return found;
}

function callOf(id: string, kind: string, native: Fields): EventBody {
  if (kind === 'mcp_tool_call') {
    const name = `${stringOf(native['server']) ?? ''}.${stringOf(native['tool']) ?? ''}`;
    return { type: 'tool_call', id, name, input: native['arguments'] ?? null, command: null };
  }
  const input = Object.fromEntries(Object.entries(native).filter(([name]) => !OUTCOME.has(name)));
  const command = kind === 'command_execution' ? stringOf(native['command']) : null;
  return {
    type: 'tool_call',
    id,
    name: kind,
    input,
    command: command === null ? null : commandOf(command),
  };
}

function resultOf(id: string, native: Fields): EventBody {
  const exitCode = wholeNumberOf(native['exit_code']);
  const result = native['error'] ?? native['result'] ?? null;
  const output = stringOf(native['aggregated_output']) ?? (result === null ? '' : JSON.stringify(result));
  return {
    type: 'tool_result',
    id,
    exit_code: exitCode,
    is_error: exitCode === null ? native['status'] === 'failed' || native['status'] === 'declined' : exitCode !== 0,
    output,
    truncated: CUT.test(output),
  };
}

/** Extracts the model's command from the shown one, which includes the shell, as in `/bin/bash -lc 'make test'`. */
function commandOf(shown: string): string {
  const [only, ...others] = splitCommands(shown);
  const [shell = '', option = '', script, ...rest] = only?.words ?? [];
  const wrapped = others.length + rest.length === 0 && /^(ba|z|da)?sh$/.test(baseName(shell));
  return wrapped && /^-l?c$/.test(option) ? (script ?? shown) : shown;
}

/**
 * Returns the API's message about a request that it rejected with status 400. Codex passes such answers on unchanged,
 * as JSON. Null for other answers, which it puts into words.
 */
const refusalOf = (text: string): string | null => stringOf(fieldsOf(fieldsOf(parseJson(text))['error'])['message']);

function statusOf(text: string): number | null {
  const status = /status:? (\d{3})\b/.exec(text)?.[1];
  return status === undefined ? null : Number(status);
}
