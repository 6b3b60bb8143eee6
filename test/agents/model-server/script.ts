import { z } from 'zod';

/** Tokens of one answer. The counts are disjoint: `input` excludes cached tokens, `output` excludes reasoning. */
const Usage = z.strictObject({
  input: z.number().default(1000),
  output: z.number().default(50),
  cached: z.number().default(100),
  reasoning: z.number().default(0),
});
export type Usage = z.infer<typeof Usage>;

/**
 * The model's next action: call the client's shell tool, use a skill in the client's way, or answer with a text, which
 * ends its turn.
 */
const Step = z.union([
  z.strictObject({ skill: z.string(), reasoning: z.string().optional(), usage: Usage.optional() }),
  z.strictObject({
    run: z.string(),
    text: z.string().optional(),
    reasoning: z.string().optional(),
    usage: Usage.optional(),
  }),
  /**
   * `tool`: the end of its name, because agents put different words before the names of MCP tools. With `offered:
   * false`, the whole name, of a tool that the client does not have.
   */
  z.strictObject({
    tool: z.string(),
    offered: z.boolean().default(true),
    input: z.record(z.string(), z.unknown()).default({}),
    text: z.string().optional(),
    reasoning: z.string().optional(),
    usage: Usage.optional(),
  }),
  /**
   * `stop`: why the model ends its answer, unless it is complete: its policy refuses to go on, or the answer is too
   * long.
   */
  z.strictObject({
    say: z.string(),
    stop: z.enum(['refusal', 'length']).optional(),
    reasoning: z.string().optional(),
    usage: Usage.optional(),
  }),
]);

/** Errors that providers answer with; each protocol has its own status, code and text for them. */
const ErrorKind = z.enum([
  'bad_request',
  'context_length',
  'bad_key',
  'forbidden',
  'model_not_found',
  'rate_limit',
  'usage_limit',
  'server_error',
  'overloaded',
]);
export type ErrorKind = z.infer<typeof ErrorKind>;

/** When a fault happens: at every task request, at one of them, or at one step; at most `times` times. */
const when = {
  /** The number of the task request, from 1. */
  request: z.number().int().positive().optional(),
  /** The number of tool results in the request: 0 is the beginning of the task. */
  step: z.number().int().nonnegative().optional(),
  times: z.number().int().positive().optional(),
};

const Refusal = z.strictObject({
  ...when,
  error: ErrorKind,
  /** Replaces the provider's usual message. */
  message: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  retry_after_secs: z.number().optional(),
  /** The time until a usage limit resets, in seconds. */
  resets_in_secs: z.number().optional(),
});
export type Refusal = z.infer<typeof Refusal>;

const Breakage = z.strictObject({
  ...when,
  /** No answer at all; a reset connection; an answer cut in the middle; an error event in the middle of a stream. */
  break: z.enum(['hang', 'reset', 'cut', 'error_event']),
});
export type Breakage = z.infer<typeof Breakage>;

/**
 * An answer of something between client and provider, such as a proxy or the login page of a network: a page, in HTML.
 */
const Page = z.strictObject({
  ...when,
  page: z.number().int(),
  headers: z.record(z.string(), z.string()).optional(),
});
export type Fault = Refusal | Breakage | z.infer<typeof Page>;

/** The behaviour of a scripted model, from the first request of a task to the last. */
export const Script = z.strictObject({
  /** Use this script only for requests whose system prompt or messages contain this text. */
  when: z.string().optional(),
  /** The n-th step answers a request with n tool results, counted from 0; the last step repeats. */
  steps: z.array(Step).min(1),
  faults: z.array(z.union([Refusal, Breakage, Page])).default([]),
  /** The answer to requests outside the task, for a title or a summary, which offer no shell tool. */
  aside: z.string().default('A title'),
  models: z.array(z.string()).default(['scripted-model']),
  /**
   * True if answers report as input what they were really sent, a token for each 4 bytes, unless a step says otherwise.
   */
  counts_input: z.boolean().default(false),
  /** The time that an answer takes, ms. */
  delay_ms: z.number().default(0),
});
export type Script = z.infer<typeof Script>;
export type ScriptInput = z.input<typeof Script>;

export const NO_USAGE_GIVEN: Usage = Usage.parse({});

/** The tokens of a request by its size. A part of them comes from a cache, as at a provider. */
export function usageOfRequest(body: string): Usage {
  const { cached } = NO_USAGE_GIVEN;
  return { ...NO_USAGE_GIVEN, input: Math.ceil(Buffer.byteLength(body) / 4) - cached };
}
