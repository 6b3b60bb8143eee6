import { z } from 'zod';
import { inHalves, unpairedIds, type Protocol, type Turn } from './protocol.js';
import type { ErrorKind } from './script.js';

const Part = z.object({
  text: z.string().optional(),
  functionCall: z.object({ id: z.string().optional(), name: z.string() }).optional(),
  functionResponse: z.object({ id: z.string().optional(), name: z.string() }).optional(),
});
const Parts = z.object({ role: z.string().optional(), parts: z.array(Part).default([]) });
const Schema = z.object({ properties: z.record(z.string(), z.unknown()).default({}) });
const Body = z.object({
  systemInstruction: z.union([z.string().transform((text) => ({ parts: [{ text }] })), Parts]).default({ parts: [] }),
  contents: z.array(Parts),
  tools: z
    .array(
      z.object({
        functionDeclarations: z
          .array(
            z.object({
              name: z.string(),
              parameters: Schema.optional(),
              parametersJsonSchema: Schema.optional(),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
});
type Part = z.infer<typeof Part>;

const textOf = (parts: Part[]): string => parts.flatMap(({ text }) => text ?? []).join('\n');

/** Older clients send no ids: then the n-th result with a name belongs to the n-th call with it. */
function idsOf(references: ({ id?: string | undefined; name: string } | undefined)[]): string[] {
  const seen = new Map<string, number>();
  return references.flatMap((reference) => {
    if (reference === undefined) return [];
    const key = reference.id ?? reference.name;
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return [nth === 1 ? key : `${key}#${nth}`];
  });
}

const ERRORS: Record<ErrorKind, [status: number, name: string, message: string]> = {
  bad_request: [400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  context_length: [
    400,
    'INVALID_ARGUMENT',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ],
  bad_key: [401, 'UNAUTHENTICATED', 'API key not valid. Please pass a valid API key.'],
  forbidden: [403, 'PERMISSION_DENIED', 'The caller does not have permission'],
  model_not_found: [404, 'NOT_FOUND', 'models/MODEL is not found for API version v1beta.'],
  rate_limit: [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  usage_limit: [
    429,
    'RESOURCE_EXHAUSTED',
    'You exceeded your current quota, please check your plan and billing details.',
  ],
  server_error: [500, 'INTERNAL', 'An internal error has occurred. Please retry.'],
  overloaded: [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
};

/** The details of an error about a daily quota: which quota, and when to retry. */
const quotaDetails = (model: string, wait: number): Record<string, unknown>[] => [
  {
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [
      {
        quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
        quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
        quotaDimensions: { location: 'global', model },
        quotaValue: '250',
      },
    ],
  },
  { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${wait}s` },
];

const STOPS = { refusal: 'SAFETY', length: 'MAX_TOKENS' };

function chunk(turn: Turn, parts: Record<string, unknown>[], last: boolean): Record<string, unknown> {
  const { input, cached, output, reasoning } = turn.usage;
  return {
    candidates: [
      {
        content: { role: 'model', parts },
        index: 0,
        ...(last ? { finishReason: turn.stop === null ? 'STOP' : STOPS[turn.stop] } : {}),
      },
    ],
    usageMetadata: {
      promptTokenCount: input + cached,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output,
      thoughtsTokenCount: reasoning,
      totalTokenCount: input + cached + output + reasoning,
    },
    modelVersion: turn.model,
    responseId: turn.id,
  };
}

const partsOf = (turn: Turn, split: (text: string) => string[]): Record<string, unknown>[] => [
  ...split(turn.reasoning ?? '').map((text) => ({ text, thought: true })),
  ...split(turn.text ?? '').map((text) => ({ text })),
  ...(turn.call === null ? [] : [{ functionCall: { id: turn.call.id, name: turn.call.name, args: turn.call.input } }]),
];

/** Gemini: `generateContent` and `streamGenerateContent`. */
export const gemini: Protocol = {
  name: 'gemini',
  path: /\/models\/[^/]+:(generateContent|streamGenerateContent)$/,
  endMark: '',
  read(body, url) {
    const { systemInstruction, contents, tools } = Body.parse(body);
    const [, model = '', method] = /\/models\/([^/]+):(\w+)$/.exec(url.pathname) ?? [];
    const parts = contents.flatMap((content) => content.parts);
    const calls = idsOf(parts.map(({ functionCall }) => functionCall));
    const results = idsOf(parts.map(({ functionResponse }) => functionResponse));
    const userTexts = contents.filter(({ role }) => role !== 'model').map((content) => textOf(content.parts));
    return {
      model,
      stream: method === 'streamGenerateContent',
      system: textOf(systemInstruction.parts),
      prompts: userTexts.filter((text) => text !== ''),
      tools: tools
        .flatMap(({ functionDeclarations }) => functionDeclarations)
        .map(({ name, parameters, parametersJsonSchema }) => ({
          name,
          fields: Object.keys((parametersJsonSchema ?? parameters)?.properties ?? {}),
        })),
      toolResults: results.length,
      unpaired: unpairedIds(calls, results),
    };
  },
  answer: (turn) =>
    chunk(
      turn,
      partsOf(turn, (text) => (text === '' ? [] : [text])),
      true,
    ),
  events(turn) {
    const given = partsOf(turn, inHalves);
    const parts = given.length === 0 ? [null] : given;
    return parts.map((part, index) => ({
      data: chunk(turn, part === null ? [] : [part], index === parts.length - 1),
    }));
  },
  refuse(refusal, model) {
    const [status, name, usual] = ERRORS[refusal.error];
    const message = (refusal.message ?? usual).replace('MODEL', model);
    const details =
      refusal.error === 'usage_limit' ? { details: quotaDetails(model, refusal.resets_in_secs ?? 3600) } : {};
    return { status, body: { error: { code: status, message, status: name, ...details } } };
  },
  errorEvent: {
    data: { error: { code: 500, message: 'An internal error has occurred.', status: 'INTERNAL' } },
  },
};
