import { z } from 'zod';
import { JsonValue } from './json-value.js';

/** What an agent did, in the form that analysis, reports and transcripts read, whatever the agent's native stream. */
export const EventBody = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session'),
    session_id: z.string().nullable(),
    model_requested: z.string().nullable(),
    model_used: z.string().nullable(),
  }),
  z.object({ type: z.literal('message'), role: z.enum(['user', 'assistant', 'system']), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  z.object({
    type: z.literal('tool_call'),
    id: z.string(),
    name: z.string(),
    input: JsonValue,
    /** The exact shell command, where the tool is a shell. */
    command: z.string().nullable(),
  }),
  z.object({
    type: z.literal('tool_result'),
    id: z.string(),
    exit_code: z.number().int().nullable(),
    is_error: z.boolean(),
    output: z.string(),
    truncated: z.boolean(),
  }),
  z.object({
    type: z.literal('usage'),
    input: z.number().nullable(),
    output: z.number().nullable(),
    reasoning: z.number().nullable(),
    cache_read: z.number().nullable(),
    cache_write: z.number().nullable(),
    cost_usd: z.number().nullable(),
    /** `cost_usd` is that of all usage since the `session` event before, which had none. */
    cost_of_start: z.literal(true).exactOptional(),
  }),
  z.object({
    type: z.enum(['setup_command', 'post_script']),
    command: z.string(),
    exit_code: z.number().int().nullable(),
    timed_out: z.boolean(),
    stdout: z.string(),
    stderr: z.string(),
  }),
  z.object({
    type: z.literal('error'),
    message: z.string(),
    retryable: z.boolean(),
    /** The provider's HTTP status, where the agent tells it. */
    status: z.number().int().exactOptional(),
  }),
  /** A line of the native stream that the adapter does not know; it is whole in transcript.raw.txt. */
  z.object({ type: z.literal('unknown'), kind: z.string() }),
  z.object({ type: z.literal('result'), ending: z.string(), exit_code: z.number().int().nullable() }),
]);
export type EventBody = z.infer<typeof EventBody>;

/** One line of events.jsonl. `ts` is ISO 8601 UTC, `seq` counts from 1 in a run, `attempt` is the agent's start. */
export type RunEvent = EventBody & { ts: string; seq: number; attempt: number };
