import { z } from 'zod';

/**
 * The parts of Inspect's logs that are read (https://inspect.aisi.org.uk/reference/inspect_ai.log.html, versions 1 to 3
 * of its format). Everything else in them is ignored.
 */

const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const Score = z.object({
  /** Null for a number that is not finite. */
  value: z.union([Scalar, z.array(Scalar), z.record(z.string(), Scalar)]),
  explanation: z.string().nullish(),
  answer: z.string().nullish(),
});
export type Score = z.infer<typeof Score>;

const Content = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  reasoning: z.string().nullish(),
  summary: z.string().nullish(),
});

const ToolCall = z.object({ id: z.string(), function: z.string(), arguments: z.unknown() });

export const Message = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(Content)]),
  tool_calls: z.array(ToolCall).nullish(),
  tool_call_id: z.string().nullish(),
  error: z.object({ message: z.string() }).nullish(),
});
export type Message = z.infer<typeof Message>;

const Tokens = z.number().int().min(0);
const Usage = z.object({
  input_tokens: Tokens,
  /** With reasoning. */
  output_tokens: Tokens,
  input_tokens_cache_read: Tokens.nullish(),
  input_tokens_cache_write: Tokens.nullish(),
  reasoning_tokens: Tokens.nullish(),
  total_cost: z.number().min(0).nullish(),
});
export type Usage = z.infer<typeof Usage>;

export const Sample = z.object({
  id: z.union([z.string(), z.number()]),
  epoch: z.number().int().min(1),
  input: z.union([z.string(), z.array(Message)]),
  choices: z.array(z.string()).nullish(),
  target: z.union([z.string(), z.array(z.string())]),
  setup: z.string().nullish(),
  messages: z.array(Message).default([]),
  scores: z.record(z.string(), Score).nullish(),
  model_usage: z.record(z.string(), Usage).default({}),
  started_at: z.string().nullish(),
  completed_at: z.string().nullish(),
  total_time: z.number().min(0).nullish(),
  error: z.object({ message: z.string() }).nullish(),
  limit: z.object({ type: z.string(), limit: z.number() }).nullish(),
  attachments: z.record(z.string(), z.string()).default({}),
});
export type Sample = z.infer<typeof Sample>;

export const Header = z.object({
  version: z.number().int().min(1).max(3),
  status: z.string(),
  eval: z.object({
    /** Absent in early logs. */
    eval_id: z.string().nullish(),
    run_id: z.string(),
    task_id: z.string(),
    created: z.iso.datetime({ offset: true }),
    task: z.string(),
    task_version: z.union([z.number(), z.string()]),
    solver: z.string().nullish(),
    model: z.string(),
  }),
  plan: z.object({ steps: z.array(z.object({ solver: z.string() })).default([]) }).nullish(),
});
export type Header = z.infer<typeof Header>;
