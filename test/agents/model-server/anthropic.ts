import { z } from 'zod';
import { inHalves, unpairedIds, type Protocol, type StreamEvent, type Turn } from './protocol.js';
import type { ErrorKind, Refusal } from './script.js';

const Block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string() }),
  z.object({ type: z.literal('tool_result'), tool_use_id: z.string() }),
  z.object({ type: z.string() }),
]);
const Content = z
  .union([z.string(), z.array(Block)])
  .transform((content) => (typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content));
const Body = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  system: Content.default([]),
  messages: z.array(z.object({ role: z.string(), content: Content })),
  tools: z
    .array(
      z.object({
        name: z.string(),
        input_schema: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).optional(),
      }),
    )
    .default([]),
});
type Blocks = z.infer<typeof Content>;

const textOf = (blocks: Blocks): string => blocks.flatMap((block) => ('text' in block ? [block.text] : [])).join('\n');

const USAGE_LIMIT = "This request would exceed your account's rate limit. Please try again later.";

const ERRORS: Record<ErrorKind, [status: number, type: string, message: string]> = {
  bad_request: [400, 'invalid_request_error', 'messages: at least one message is required'],
  context_length: [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
  bad_key: [401, 'authentication_error', 'invalid x-api-key'],
  forbidden: [403, 'permission_error', 'Your API key does not have permission to use the specified resource.'],
  model_not_found: [404, 'not_found_error', 'model: MODEL'],
  rate_limit: [
    429,
    'rate_limit_error',
    "This request would exceed your organization's rate limit of 50 requests per minute.",
  ],
  usage_limit: [429, 'rate_limit_error', USAGE_LIMIT],
  server_error: [500, 'api_error', 'Internal server error'],
  overloaded: [529, 'overloaded_error', 'Overloaded'],
};

/** Headers that tell a client with a subscription which of its limits is reached, and when it resets. */
function limitHeaders({ resets_in_secs = 3600 }: Refusal, now: number): Record<string, string> {
  const reset = String(now + resets_in_secs);
  return {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': reset,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-status': 'rejected',
    'anthropic-ratelimit-unified-5h-reset': reset,
    'anthropic-ratelimit-unified-5h-utilization': '1.0',
  };
}

function usageOf({ usage }: Turn): Record<string, number> {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output + usage.reasoning,
  };
}

const messageOf = (turn: Turn): Record<string, unknown> => ({
  id: `msg_${turn.id}`,
  type: 'message',
  role: 'assistant',
  model: turn.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { ...usageOf(turn), output_tokens: 1 },
});

const STOPS = { refusal: 'refusal', length: 'max_tokens' };
const stopReason = ({ stop, call }: Turn): string =>
  stop === null ? (call === null ? 'end_turn' : 'tool_use') : STOPS[stop];

/** The blocks of an answer: each with its start and its deltas. */
function blocksOf(turn: Turn): { start: Record<string, unknown>; deltas: Record<string, unknown>[] }[] {
  const blocks = [];
  if (turn.reasoning !== null)
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...inHalves(turn.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'c2NyaXB0ZWQ=' },
      ],
    });
  if (turn.text !== null)
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: inHalves(turn.text).map((text) => ({ type: 'text_delta', text })),
    });
  if (turn.call !== null)
    blocks.push({
      start: { type: 'tool_use', id: turn.call.id, name: turn.call.name, input: {} },
      deltas: inHalves(JSON.stringify(turn.call.input)).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      })),
    });
  return blocks;
}

const named = (event: string, data: Record<string, unknown>): StreamEvent => ({
  event,
  data: { type: event, ...data },
});

/** Anthropic Messages: `/v1/messages`. */
export const anthropic: Protocol = {
  name: 'anthropic',
  path: /\/v1\/messages$/,
  endMark: '',
  read(body) {
    const { model, stream, system, messages, tools } = Body.parse(body);
    const blocks = messages.flatMap(({ content }) => content);
    const results = blocks.flatMap((block) => ('tool_use_id' in block ? [block.tool_use_id] : []));
    const calls = blocks.flatMap((block) => ('id' in block ? [block.id] : []));
    const userTexts = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content));
    // Newer models accept instructions in the middle of a conversation.
    const inserted = messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
    return {
      model,
      stream,
      system: [textOf(system), ...inserted].join('\n'),
      prompts: userTexts.filter((text) => text !== ''),
      tools: tools.map(({ name, input_schema }) => ({
        name,
        fields: Object.keys(input_schema?.properties ?? {}),
      })),
      toolResults: results.length,
      unpaired: unpairedIds(calls, results),
    };
  },
  answer: (turn) => ({
    ...messageOf(turn),
    content: [
      ...(turn.reasoning === null ? [] : [{ type: 'thinking', thinking: turn.reasoning, signature: 'c2NyaXB0ZWQ=' }]),
      ...(turn.text === null ? [] : [{ type: 'text', text: turn.text }]),
      ...(turn.call === null ? [] : [{ type: 'tool_use', ...turn.call }]),
    ],
    stop_reason: stopReason(turn),
    usage: usageOf(turn),
  }),
  events: (turn) => [
    named('message_start', { message: messageOf(turn) }),
    ...blocksOf(turn).flatMap(({ start, deltas }, index) => [
      named('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => named('content_block_delta', { index, delta })),
      named('content_block_stop', { index }),
    ]),
    named('message_delta', {
      delta: { stop_reason: stopReason(turn), stop_sequence: null },
      usage: usageOf(turn),
    }),
    named('message_stop', {}),
  ],
  refuse(refusal, model, now) {
    const [status, type, usual] = ERRORS[refusal.error];
    const message = (refusal.message ?? usual).replace('MODEL', model);
    const body = { type: 'error', error: { type, message }, request_id: 'req_scripted' };
    return { status, body, headers: refusal.error === 'usage_limit' ? limitHeaders(refusal, now) : {} };
  },
  errorEvent: named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
};
