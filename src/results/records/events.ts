import { z } from 'zod';
import { JsonValue } from './json-value.js';

/** What an agent did, as read by analysis, reports and transcripts; independent of the agent's own stream format. */
export const EventBody = z.discriminatedUnion('type', [
  z
    .object({
      type: z.literal('session'),
      session_id: z.string().nullable(),
      model_requested: z.string().nullable(),
      model_used: z.string().nullable(),
    })
    .describe('A start of the agent'),
  z
    .object({
      type: z.literal('message'),
      role: z.enum(['user', 'assistant', 'system']).describe('user, assistant or system'),
      text: z.string(),
    })
    .describe('A message, or output of the agent that is not an event'),
  z.object({ type: z.literal('reasoning'), text: z.string() }).describe('Reasoning of the model'),
  z
    .object({
      type: z.literal('tool_call'),
      id: z.string(),
      name: z.string(),
      input: JsonValue,
      command: z.string().nullable().describe('the shell command, if the tool is a shell'),
    })
    .describe('A call of a tool; without a result, it still ran when the agent ended'),
  z
    .object({
      type: z.literal('tool_result'),
      id: z.string(),
      exit_code: z.number().int().nullable(),
      is_error: z.boolean(),
      output: z.string(),
      truncated: z.boolean(),
    })
    .describe('The result of the call with this id'),
  z
    .object({
      type: z.literal('usage'),
      input: z.number().nullable(),
      output: z.number().nullable(),
      reasoning: z.number().nullable(),
      cache_read: z.number().nullable(),
      cache_write: z.number().nullable(),
      cost_usd: z.number().nullable(),
      cost_of_start: z
        .literal(true)
        .exactOptional()
        .describe('cost_usd covers all usage since the last session event'),
    })
    .describe('Tokens and cost; add them up'),
  z
    .object({
      type: z.enum(['setup_command', 'post_script']),
      command: z.string(),
      exit_code: z.number().int().nullable(),
      timed_out: z.boolean(),
      stdout: z.string(),
      stderr: z.string(),
    })
    .describe('A command of the scenario'),
  z
    .object({
      type: z.literal('error'),
      message: z.string(),
      retryable: z.boolean(),
      status: z.number().int().exactOptional().describe("the provider's HTTP status"),
    })
    .describe('An error that the agent reports'),
  z
    .object({ type: z.literal('unknown'), kind: z.string() })
    .describe('An unknown line of the output; it is complete in transcript.raw.txt'),
  z
    .object({ type: z.literal('result'), ending: z.string(), exit_code: z.number().int().nullable() })
    .describe('How the agent ended; only post scripts follow'),
]);
export type EventBody = z.infer<typeof EventBody>;

/**
 * One line of events.jsonl. `ts` is ISO 8601 UTC, `seq` counts from 1 in a run, `attempt` numbers the agent's starts.
 */
export type RunEvent = EventBody & { ts: string; seq: number; attempt: number };
