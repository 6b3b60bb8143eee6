import { z } from 'zod';

/** Tokens of one answer. The counts are disjoint: `input` is without what came from the cache, `output` without reasoning. */
const Usage = z.strictObject({
  input: z.number().default(1000),
  output: z.number().default(50),
  cached: z.number().default(100),
  reasoning: z.number().default(0),
});
export type Usage = z.infer<typeof Usage>;

/** What the model does next: calls the client's shell tool, or says something, which ends its turn. */
const Step = z.union([
  z.strictObject({
    run: z.string(),
    text: z.string().optional(),
    reasoning: z.string().optional(),
    usage: Usage.optional(),
  }),
  z.strictObject({ say: z.string(), reasoning: z.string().optional(), usage: Usage.optional() }),
]);

/** Errors that providers answer with; each protocol has its own status, code and words for them. */
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

/** When a fault happens: at every task request, or at one of them, or at one step; at most so many times. */
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
  /** Instead of the provider's usual words. */
  message: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  retry_after_secs: z.number().optional(),
  /** When a usage limit ends, in seconds from now. */
  resets_in_secs: z.number().optional(),
});
export type Refusal = z.infer<typeof Refusal>;

const Breakage = z.strictObject({
  ...when,
  /** No answer at all; a reset connection; an answer cut in the middle; an error event in the middle of a stream. */
  break: z.enum(['hang', 'reset', 'cut', 'error_event']),
});
export type Breakage = z.infer<typeof Breakage>;
export type Fault = Refusal | Breakage;

/** What a scripted model does, from the first request of a task to the last. */
export const Script = z.strictObject({
  /** Only for requests whose system prompt or messages hold this text. */
  when: z.string().optional(),
  /** One per tool result that the request brings; the last one repeats. */
  steps: z.array(Step).min(1),
  faults: z.array(z.union([Refusal, Breakage])).default([]),
  /** The answer to what is beside the task: requests for a title or a summary, which offer no shell tool. */
  aside: z.string().default('A title'),
  models: z.array(z.string()).default(['scripted-model']),
});
export type Script = z.infer<typeof Script>;
export type ScriptInput = z.input<typeof Script>;

export const NO_USAGE_GIVEN: Usage = Usage.parse({});
