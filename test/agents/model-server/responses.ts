import { z } from 'zod';
import { inHalves, unpairedIds, type Protocol, type StreamEvent, type Tool, type Turn } from './protocol.js';
import { refuseAsOpenAi } from './openai-errors.js';

const Content = z
  .union([z.string(), z.array(z.object({ text: z.string().optional() }))])
  .transform((content) =>
    typeof content === 'string' ? content : content.flatMap(({ text }) => text ?? []).join('\n'),
  );
/** The tools that a search has found, in groups. */
const Found = z.object({
  type: z.literal('tool_search_output'),
  call_id: z.string(),
  tools: z.array(z.object({ name: z.string(), tools: z.array(z.object({ name: z.string() })).default([]) })),
});
const Item = z.union([
  Found,
  z.object({ role: z.string(), content: Content }),
  z.object({ type: z.string(), call_id: z.string() }),
  z.object({ type: z.string() }),
]);
const Body = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  instructions: z.string().nullish(),
  input: z
    .union([z.string(), z.array(Item)])
    .transform((input) => (typeof input === 'string' ? [{ role: 'user', content: input }] : input)),
  tools: z
    .array(
      z.object({
        type: z.string(),
        name: z.string().optional(),
        parameters: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).nullish(),
      }),
    )
    .default([]),
});

type Item = Record<string, unknown>;

/** The tool by which a client lets the model search for further tools. */
const SEARCH = 'tool_search';

/** The output items of an answer, each with the events between its beginning and its end. */
function itemsOf(turn: Turn): { item: Item; begun: Item; between: StreamEvent[] }[] {
  const items = [];
  if (turn.reasoning !== null) {
    const [id, text] = [`rs_${turn.id}`, turn.reasoning];
    const part = { item_id: id, summary_index: 0 };
    items.push({
      item: { type: 'reasoning', id, summary: [{ type: 'summary_text', text }] },
      begun: { type: 'reasoning', id, summary: [] },
      between: [
        named('response.reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } }),
        ...inHalves(text).map((delta) => named('response.reasoning_summary_text.delta', { ...part, delta })),
        named('response.reasoning_summary_text.done', { ...part, text }),
        named('response.reasoning_summary_part.done', { ...part, part: { type: 'summary_text', text } }),
      ],
    });
  }
  if (turn.text !== null) {
    const [id, text] = [`msg_${turn.id}`, turn.text];
    const place = { item_id: id, content_index: 0 };
    const content = (text: string): Item =>
      turn.stop === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] };
    const kind = turn.stop === 'refusal' ? 'refusal' : 'output_text';
    const message = { type: 'message', id, role: 'assistant' };
    items.push({
      item: { ...message, status: 'completed', content: [content(text)] },
      begun: { ...message, status: 'in_progress', content: [] },
      between: [
        named('response.content_part.added', { ...place, part: content('') }),
        ...inHalves(text).map((delta) => named(`response.${kind}.delta`, { ...place, delta })),
        named(`response.${kind}.done`, { ...place, [kind === 'refusal' ? 'refusal' : 'text']: text }),
        named('response.content_part.done', { ...place, part: content(text) }),
      ],
    });
  }
  if (turn.call?.name === SEARCH) {
    const { id, input } = turn.call;
    const item = {
      type: 'tool_search_call',
      id: `ts_${turn.id}`,
      call_id: id,
      execution: 'client',
      arguments: input,
    };
    items.push({
      item: { ...item, status: 'completed' },
      begun: { ...item, status: 'in_progress' },
      between: [],
    });
  } else if (turn.call !== null) {
    const [id, text] = [`fc_${turn.id}`, JSON.stringify(turn.call.input)];
    const { id: call_id, name, namespace } = turn.call;
    const group = namespace === undefined ? {} : { namespace };
    const call = { type: 'function_call', id, call_id, name, ...group };
    items.push({
      item: { ...call, arguments: text, status: 'completed' },
      begun: { ...call, arguments: '', status: 'in_progress' },
      between: [
        ...inHalves(text).map((delta) => named('response.function_call_arguments.delta', { item_id: id, delta })),
        named('response.function_call_arguments.done', { item_id: id, arguments: text }),
      ],
    });
  }
  return items;
}

const named = (event: string, data: Item): StreamEvent => ({ event, data: { type: event, ...data } });

const inGroup = (group: z.infer<typeof Found>['tools'][number]): Tool[] =>
  group.tools.map(({ name }) => ({ name, namespace: group.name, fields: [] }));

const begunResponse = ({ id, model }: Turn): Item => ({
  id: `resp_${id}`,
  object: 'response',
  created_at: 0,
  status: 'in_progress',
  model,
  output: [],
});

const response = (turn: Turn): Item => ({
  ...begunResponse(turn),
  ...(turn.stop === 'length'
    ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    : { status: 'completed' }),
  output: itemsOf(turn).map(({ item }) => item),
  usage: {
    input_tokens: turn.usage.input + turn.usage.cached,
    input_tokens_details: { cached_tokens: turn.usage.cached },
    output_tokens: turn.usage.output + turn.usage.reasoning,
    output_tokens_details: { reasoning_tokens: turn.usage.reasoning },
    total_tokens: turn.usage.input + turn.usage.cached + turn.usage.output + turn.usage.reasoning,
  },
});

/** OpenAI Responses: `/v1/responses`. */
export const responses: Protocol = {
  name: 'responses',
  path: /\/responses$/,
  endMark: '',
  read(body) {
    const { model, stream, instructions, input, tools } = Body.parse(body);
    const withRole = input.flatMap((item) => ('role' in item ? [item] : []));
    const ids = (ofResults: boolean): string[] =>
      input.flatMap((item) => ('call_id' in item && item.type.endsWith('_output') === ofResults ? [item.call_id] : []));
    const results = ids(true);
    const isSystem = ({ role }: { role: string }): boolean => role === 'developer' || role === 'system';
    return {
      model,
      stream,
      system: [instructions ?? '', ...withRole.filter(isSystem).map(({ content }) => content)].join('\n'),
      prompts: withRole.filter(({ role }) => role === 'user').map(({ content }) => content),
      tools: [
        ...tools.map(({ type, name, parameters }) => ({
          name: name ?? type,
          fields: Object.keys(parameters?.properties ?? {}),
        })),
        ...input.flatMap((item) => ('tools' in item ? item.tools : [])).flatMap(inGroup),
      ],
      toolResults: results.length,
      unpaired: unpairedIds(ids(false), results),
    };
  },
  answer: response,
  events(turn) {
    const events = [
      named('response.created', { response: begunResponse(turn) }),
      ...itemsOf(turn).flatMap(({ item, begun, between }, output_index) => [
        named('response.output_item.added', { output_index, item: begun }),
        ...between.map(({ event, data }) => ({ event, data: { output_index, ...(data as Item) } })),
        named('response.output_item.done', { output_index, item }),
      ]),
      named(turn.stop === 'length' ? 'response.incomplete' : 'response.completed', {
        response: response(turn),
      }),
    ];
    return events.map(({ event, data }, sequence_number) => ({
      ...(event === undefined ? {} : { event }),
      data: { ...(data as Item), sequence_number },
    }));
  },
  refuse: refuseAsOpenAi,
  errorEvent: named('response.failed', {
    sequence_number: 99,
    response: {
      id: 'resp_failed',
      object: 'response',
      status: 'failed',
      output: [],
      error: { code: 'server_error', message: 'An error occurred while processing your request.' },
    },
  }),
};
