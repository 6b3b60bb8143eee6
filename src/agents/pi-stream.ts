import type { EventBody } from '../results/events.js';
import type { StreamParser } from './agent.js';
import {
  errorEvent,
  listOf,
  nativeLine,
  objectOf,
  textOf,
  tokensOf,
  unknownKind,
  type Native,
} from './native.js';

/** Lines that say again, or piece by piece, what others say as a whole. */
const REPEATS = new Set([
  'agent_start',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'tool_execution_update',
  'auto_retry_start',
  'auto_retry_end',
]);

/** Reads `pi --mode json`. */
export function piStream(): StreamParser {
  let session: string | null = null;
  let model: string | null = null;

  const sessionEvent = (): EventBody => ({
    type: 'session',
    session_id: session,
    model_requested: null,
    model_used: model,
  });

  const message = (native: Native): EventBody[] => {
    if (native['role'] !== 'assistant') return []; // the prompt, or the result of a tool that ended before
    const used = modelOf(native);
    const changed = used !== model;
    model = used;
    return [
      ...(changed ? [sessionEvent()] : []),
      ...listOf(native['content']).flatMap((part) => partOf(objectOf(part))),
      ...usageOf(objectOf(native['usage'])),
      ...(native['stopReason'] === 'error' ? [failureOf(native)] : []),
    ];
  };

  const read = (native: Native): EventBody[] => {
    const type = textOf(native['type']) ?? '';
    if (REPEATS.has(type)) return [];
    switch (type) {
      case 'session':
        session = textOf(native['id']);
        return [sessionEvent()];
      case 'message_end':
        return message(objectOf(native['message']));
      case 'tool_execution_start':
        return [callOf(native)];
      case 'tool_execution_end':
        return [resultOf(native)];
      case 'agent_end':
        return endOf(objectOf(listOf(native['messages']).at(-1)));
      default:
        return [unknownKind(type)];
    }
  };

  return { line: (text) => nativeLine(text, read), end: () => [] };
}

function modelOf(native: Native): string | null {
  const [provider, model] = [textOf(native['provider']), textOf(native['model'])];
  return model === null ? null : provider === null ? model : `${provider}/${model}`;
}

/** Calls of tools are told again when they begin. */
function partOf(part: Native): EventBody[] {
  const said = textOf(part['text']);
  if (part['type'] === 'text' && said !== null) return [{ type: 'message', role: 'assistant', text: said }];
  const thought = textOf(part['thinking']);
  return part['type'] === 'thinking' && thought !== null ? [{ type: 'reasoning', text: thought }] : [];
}

/** Input is without the cached tokens, output with those of reasoning, which are not told apart. */
function usageOf(usage: Native): EventBody[] {
  if (tokensOf(usage['totalTokens']) === 0) return [];
  const cost = objectOf(usage['cost'])['total'];
  return [
    {
      type: 'usage',
      input: tokensOf(usage['input']),
      output: tokensOf(usage['output']),
      reasoning: null,
      cache_read: tokensOf(usage['cacheRead']),
      cache_write: tokensOf(usage['cacheWrite']),
      // 0 is what pi says of a model without a price.
      cost_usd: typeof cost === 'number' && Number.isFinite(cost) && cost > 0 ? cost : null,
    },
  ];
}

function failureOf(native: Native): EventBody {
  const said = textOf(native['errorMessage']) ?? '';
  const status = /^([45]\d\d)\b|"code":\s*([45]\d\d)\b/.exec(said);
  return errorEvent(said, status === null ? null : Number(status[1] ?? status[2]));
}

function callOf(native: Native): EventBody {
  const name = textOf(native['toolName']) ?? '';
  const input = native['args'] ?? null;
  return {
    type: 'tool_call',
    id: textOf(native['toolCallId']) ?? '',
    name,
    input,
    command: name === 'bash' ? textOf(objectOf(input)['command']) : null,
  };
}

function resultOf(native: Native): EventBody {
  const result = objectOf(native['result']);
  const output = listOf(result['content'])
    .map((part) => textOf(objectOf(part)['text']) ?? '')
    .join('');
  const failed = native['isError'] === true;
  const told = /Command exited with code (\d{1,3})\s*$/.exec(output)?.[1];
  const code = failed ? (told === undefined ? null : Number(told)) : 0;
  return {
    type: 'tool_result',
    id: textOf(native['toolCallId']) ?? '',
    exit_code: native['toolName'] === 'bash' ? code : null,
    is_error: failed,
    output,
    truncated: objectOf(objectOf(result['details'])['truncation'])['truncated'] === true,
  };
}

/** An end by an error or a signal is none: pi may try again, or be started again. */
function endOf({ stopReason }: Native): EventBody[] {
  if (stopReason === 'stop') return [{ type: 'result', ending: 'done', exit_code: null }];
  // The answer grew to the length that the model may give.
  return stopReason === 'length' ? [{ type: 'result', ending: 'gave_up', exit_code: null }] : [];
}
