import type { EventBody } from '#model';
import type { StreamParser } from '../agent.js';
import { wholeNumberOf, fieldsOf, listOf, stringOf, type Fields } from './json-fields.js';
import { claudeCodeExtensions } from './claude-code-extensions.js';
import { createUsageCount } from './claude-code-usage.js';
import { jsonLines, type Numbers } from './json-lines.js';
import { errorEvent, miscounted, unknownEvent } from './stream-events.js';

/** Messages that only report progress and contain nothing that is not reported elsewhere. */
const PROGRESS = new Set([
  ...['thinking_tokens', 'status', 'task_progress', 'task_notification'],
  ...['hook_started', 'hook_progress', 'compact_boundary'],
  // The `result` says the same.
  ...['informational', 'model_refusal_no_fallback'],
  'task_updated',
]);

/** The model in messages that Claude Code writes itself. */
export const SYNTHETIC = '<synthetic>';

/** Reads `claude -p --output-format stream-json --verbose`. */
export function claudeCodeStream(): StreamParser {
  /** Names of the called tools, by the ids of the calls. */
  let called = new Map<string, string>();
  let count = createUsageCount();
  let model: string | null = null;
  let modelUsed: string | null = null;
  let limitEnds: number | null = null;
  /** Set by messages, because only the `result` reports all that they write. */
  let pending = false;
  let lost = false;
  /** Tasks in the background after which a new turn begins, even if the turn before has reported its result. */
  let tasks = 0;
  let ended = false;
  const extensions = claudeCodeExtensions();
  /** Turns of this start: one begins with each line of the user, and each result counts those since the one before. */
  const turns = { counted: 0, shown: 0 };

  const assistant = (line: Fields, numbers: Numbers): EventBody[] => {
    const message = fieldsOf(line['message']);
    const used = stringOf(message['model']);
    // The `result` reports the same error.
    if (used === SYNTHETIC && stringOf(line['error']) !== null) return [];
    const events: EventBody[] = [];
    // Ignores the models of subagents, which may be smaller. Only once: a `session` event precedes all usage.
    if (modelUsed === null && used !== null && used !== SYNTHETIC && (line['parent_tool_use_id'] ?? null) === null) {
      modelUsed = used;
      events.push(session(line));
    }
    if (used !== SYNTHETIC) pending = true;
    for (const block of listOf(message['content'])) events.push(...ofBlock(fieldsOf(block)));
    const usage =
      used === SYNTHETIC ? null : count.ofMessage(stringOf(message['id']), fieldsOf(message['usage']), numbers);
    return usage === null ? events : [...events, { type: 'usage', ...usage, cost_usd: null }];
  };

  const session = (line: Fields): EventBody => ({
    type: 'session',
    session_id: stringOf(line['session_id']),
    model_requested: model,
    model_used: modelUsed,
  });

  const ofBlock = (block: Fields): EventBody[] => {
    const text = stringOf(block['text']) ?? stringOf(block['thinking']) ?? '';
    const kind = stringOf(block['type']) ?? '';
    switch (kind) {
      case 'text':
        return text === '' ? [] : [{ type: 'message', role: 'assistant', text }];
      case 'thinking':
        return text === '' ? [] : [{ type: 'reasoning', text }];
      case 'tool_use': {
        const [id, name] = [stringOf(block['id']) ?? '', stringOf(block['name']) ?? ''];
        const input = block['input'] ?? null;
        const command = name === 'Bash' ? stringOf(fieldsOf(input)['command']) : null;
        called.set(id, name);
        if (name === 'Skill') extensions.called(id, stringOf(fieldsOf(input)['skill']) ?? '');
        return [{ type: 'tool_call', id, name, input, command }];
      }
      default:
        return [unknownEvent(`assistant/${kind}`)];
    }
  };

  const user = (line: Fields): EventBody[] => {
    // It repeats the prompt, as Claude Code has understood it.
    if (line['isReplay'] === true) return extensions.ofPrompt(line);
    return [...extensions.ofUser(line), ...ofUser(line)];
  };

  const ofUser = (line: Fields): EventBody[] => {
    if ((line['parent_tool_use_id'] ?? null) === null) turns.shown++;
    const { content } = fieldsOf(line['message']);
    if (typeof content === 'string') return [{ type: 'message', role: 'user', text: content }];
    return listOf(content)
      .map(fieldsOf)
      .map((block) => {
        if (block['type'] === 'text') return { type: 'message', role: 'user', text: stringOf(block['text']) ?? '' };
        if (block['type'] !== 'tool_result') return unknownEvent(`user/${stringOf(block['type']) ?? ''}`);
        const id = stringOf(block['tool_use_id']) ?? '';
        return toolResult(id, block, fieldsOf(line['tool_use_result']), called.get(id) ?? null);
      });
  };

  const system = (line: Fields): EventBody[] => {
    const kind = stringOf(line['subtype']) ?? '';
    if (kind === 'init') {
      // A new start, which resumes the session or begins one.
      [called, count, modelUsed, limitEnds, tasks] = [new Map<string, string>(), createUsageCount(), null, null, 0];
      [lost, pending] = [lost || pending, false];
      model = stringOf(line['model']);
      extensions.begin(line);
      return [session(line)];
    }
    if (kind === 'background_tasks_changed') {
      tasks = listOf(line['tasks']).length;
      return [];
    }
    if (kind === 'api_retry') return [errorEvent(retryNotice(line), wholeNumberOf(line['error_status']), true)];
    return PROGRESS.has(kind) ? [] : (extensions.ofSystem(kind, line) ?? [unknownEvent(`system/${kind}`)]);
  };

  const result = (line: Fields, numbers: Numbers): EventBody[] => {
    turns.shown++;
    turns.counted += wholeNumberOf(line['num_turns']) ?? NaN;
    const { tokens, costUsd } = count.ofResult(line, numbers);
    // A result that does not say what was used leaves the usage of the answers open.
    pending &&= tokens.input === null || tokens.output === null;
    const events: EventBody[] = [];
    if (costUsd !== null && costUsd > 0)
      events.push({ type: 'usage', ...tokens, cost_usd: costUsd, cost_of_start: true });
    else if (Object.values(tokens).some((number) => number !== null && number > 0))
      events.push({ type: 'usage', ...tokens, cost_usd: null });
    const unloaded = extensions.unloaded();
    return [...events, ...(unloaded === null ? ending(line, limitEnds) : [errorEvent(unloaded, null, false)])];
  };

  const lines = jsonLines((line, numbers) => {
    const kind = stringOf(line['type']) ?? '';
    if (kind === 'result' || kind === 'assistant') ended = kind === 'result';
    switch (kind) {
      case 'system':
        return system(line);
      case 'assistant':
        return assistant(line, numbers);
      case 'user':
        return user(line);
      case 'result':
        return result(line, numbers);
      case 'rate_limit_event': {
        const limit = fieldsOf(line['rate_limit_info']);
        if (limit['status'] === 'rejected') limitEnds = wholeNumberOf(limit['resetsAt']);
        return [];
      }
      default:
        return [unknownEvent(kind)];
    }
  });

  return {
    ...lines,
    begin(start) {
      [turns.counted, turns.shown] = [0, 0];
      lines.begin?.(start);
    },
    // Results may be printed after lines of later turns.
    end: () =>
      ended && tasks === 0 && !Number.isNaN(turns.counted) ? miscounted('turns', turns.counted, turns.shown) : [],
    usagePending: () => pending || lost || lines.lacksUsage(),
    isOver: () => ended && tasks === 0,
  };
}

const retryNotice = (line: Fields): string => {
  const [attempt, of, status] = [line['attempt'], line['max_retries'], line['error_status']].map(wholeNumberOf);
  const why = `${stringOf(line['error']) ?? 'unknown'}${status === null ? '' : `, HTTP ${String(status)}`}`;
  return `API request failed (${why}); retry ${String(attempt ?? '?')} of ${String(of ?? '?')}`;
};

/** The result of a tool. A shell's exit code is only stated in words, and only if it is not 0. */
function toolResult(id: string, block: Fields, details: Fields, tool: string | null): EventBody {
  const { content } = block;
  const output =
    stringOf(content) ??
    listOf(content)
      .map((part) => stringOf(fieldsOf(part)['text']) ?? '')
      .join('');
  const isError = block['is_error'] === true;
  const exitCode = isError ? /^Exit code (\d{1,3})\b/.exec(output)?.[1] : undefined;
  // A background command has not ended; for some commands, a code other than 0 is replaced by its meaning.
  const open = ['backgroundTaskId', 'returnCodeInterpretation'].some((name) => stringOf(details[name]) !== null);
  const succeeded = tool === 'Bash' && !isError && !open && details['interrupted'] !== true;
  return {
    type: 'tool_result',
    id,
    exit_code: exitCode === undefined ? (succeeded ? 0 : null) : Number(exitCode),
    is_error: isError,
    output,
    truncated: output.startsWith('<persisted-output>'),
    ...(isError && tool !== null && isUnexecuted(output, tool) ? { executed: false } : {}),
  };
}

/**
 * True if Claude Code itself refused the call, in its own words: they are all of the output, so no tool can have
 * printed them.
 */
function isUnexecuted(output: string, tool: string): boolean {
  const toolError = /^<tool_use_error>([^]*)<\/tool_use_error>$/.exec(output.trim())?.[1] ?? '';
  // This tool only shows instructions, and an error shows none.
  if (tool === 'Skill' && toolError !== '') return true;
  return [
    `Error: No such tool available: ${tool}`,
    `InputValidationError: ${tool} failed due to the following issue`,
  ].some((words) => toolError.startsWith(words));
}

/**
 * Returns how a start ended, according to its `result` line. `subtype` is "success" even if the API rejected the
 * request.
 */
function ending(line: Fields, limitEnds: number | null): EventBody[] {
  const kind = stringOf(line['subtype']) ?? '';
  if (kind === 'success' && line['is_error'] === false) return [{ type: 'result', ending: 'done', exit_code: null }];
  if (kind === 'error_max_turns') return [{ type: 'result', ending: 'max_turns', exit_code: null }];
  const reasons = listOf(line['errors'])
    .map(stringOf)
    .filter((text) => text !== null);
  const message = stringOf(line['result']) ?? (reasons.join('; ') || kind);
  const status = wholeNumberOf(line['api_error_status']);
  const refused = line['stop_reason'] === 'refusal';
  const unserved = line['terminal_reason'] === 'api_error' && status === null && !refused;
  const more = [
    ...(refused ? ['stop_reason: refusal'] : []),
    ...(limitEnds === null ? [] : [`resets_at: ${limitEnds}`]),
  ];
  const [first = '', ...rest] = message.split('\n');
  const errorText = [more.length === 0 ? first : `${first} (${more.join(', ')})`, ...rest].join('\n');
  const error = errorEvent(errorText, status, unserved);
  // Its own limits, rather than an interruption or an error of the API.
  const gaveUp = kind.startsWith('error_max_');
  return gaveUp ? [error, { type: 'result', ending: 'gave_up', exit_code: null }] : [error];
}
