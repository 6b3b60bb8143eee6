import { z } from 'zod';
import { refuseAsOpenAi } from './openai-errors.js';
import { inHalves, unpairedIds, type Protocol, type Turn } from './protocol.js';

const Content = z
  .union([z.string(), z.array(z.object({ text: z.string().optional() })), z.null()])
  .default(null)
  .transform((content) =>
    typeof content === 'string' ? content : (content ?? []).flatMap(({ text }) => text ?? []).join('\n'),
  );
const Body = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(
    z.object({
      role: z.string(),
      content: Content,
      tool_calls: z.array(z.object({ id: z.string() })).nullish(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z
    .array(
      z.object({
        // Absent for a tool that takes a text in place of arguments
        function: z
          .object({
            name: z.string(),
            parameters: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
});

const toolCalls = ({ call }: Turn): Record<string, unknown>[] =>
  call === null
    ? []
    : [
        {
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(call.input) },
        },
      ];

const STOPS = { refusal: 'content_filter', length: 'length' };
const finish = ({ call, stop }: Turn): string =>
  stop === null ? (call === null ? 'stop' : 'tool_calls') : STOPS[stop];

const usageOf = ({ usage }: Turn): Record<string, unknown> => ({
  prompt_tokens: usage.input + usage.cached,
  completion_tokens: usage.output + usage.reasoning,
  total_tokens: usage.input + usage.cached + usage.output + usage.reasoning,
  prompt_tokens_details: { cached_tokens: usage.cached },
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
});

/** OpenAI Chat Completions: `/v1/chat/completions`. */
export const chat: Protocol = {
  name: 'chat',
  path: /\/chat\/completions$/,
  endMark: 'data: [DONE]\n\n',
  read(body) {
    const { model, stream, messages, tools } = Body.parse(body);
    const results = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
    const calls = messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id));
    const saidBy = (...roles: string[]): string[] =>
      messages.filter(({ role }) => roles.includes(role)).map(({ content }) => content);
    return {
      model,
      stream,
      system: saidBy('system', 'developer').join('\n'),
      prompts: saidBy('user'),
      tools: tools.flatMap(({ function: tool }) =>
        tool === undefined ? [] : [{ name: tool.name, fields: Object.keys(tool.parameters?.properties ?? {}) }],
      ),
      toolResults: results.length,
      unpaired: unpairedIds(calls, results),
    };
  },
  answer: (turn) => ({
    id: `chatcmpl-${turn.id}`,
    object: 'chat.completion',
    created: 0,
    model: turn.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: turn.text,
          ...(turn.reasoning === null ? {} : { reasoning_content: turn.reasoning }),
          ...(turn.call === null ? {} : { tool_calls: toolCalls(turn) }),
        },
        finish_reason: finish(turn),
      },
    ],
    usage: usageOf(turn),
  }),
  events(turn) {
    const chunk = (rest: Record<string, unknown>): { data: unknown } => ({
      data: {
        id: `chatcmpl-${turn.id}`,
        object: 'chat.completion.chunk',
        created: 0,
        model: turn.model,
        ...rest,
      },
    });
    const delta = (delta: Record<string, unknown>, reason: string | null = null): { data: unknown } =>
      chunk({ choices: [{ index: 0, delta, finish_reason: reason }] });
    return [
      delta({ role: 'assistant', content: '' }),
      ...inHalves(turn.reasoning ?? '').map((reasoning_content) => delta({ reasoning_content })),
      ...inHalves(turn.text ?? '').map((content) => delta({ content })),
      ...toolCalls(turn).map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
      delta({}, finish(turn)),
      chunk({ choices: [], usage: usageOf(turn) }),
    ];
  },
  refuse: refuseAsOpenAi,
  errorEvent: {
    data: {
      error: { message: 'The server had an error while processing your request.', type: 'server_error' },
    },
  },
};
