import { z } from 'zod';
import { JsonValue, Count, Usd } from './quantities.js';
import { recordedOfMcp } from './mcp-events.js';
import { KeptText } from './redact-fields.js';

/** The events that an agent can report: what an agent with `output = "jsonl"` prints, one per line. */
const reported = [
  z
    .object({
      type: z.literal('session'),
      session_id: z.string().nullable().describe('Id of the session; null: unknown, or there is none'),
      model_requested: z.string().nullable().describe('The model that was asked for; null: unknown'),
      model_used: z.string().nullable().describe('The model that answers; null: unknown'),
    })
    .describe('A start of the agent'),
  z
    .object({
      type: z.literal('message'),
      role: z.enum(['user', 'assistant', 'system']).describe('Who says it'),
      text: z.string().describe('The last one of the assistant is the answer'),
    })
    .describe('A message'),
  z.object({ type: z.literal('reasoning'), text: z.string().describe('The text') }).describe('Reasoning of the model'),
  z
    .object({
      type: z.literal('tool_call'),
      id: z.string().describe('Unique in the session'),
      name: z.string().describe('Name of the tool'),
      input: JsonValue.describe('Arguments of the call; null: unknown'),
      command: z
        .string()
        .nullable()
        .describe('The shell command, if the tool is a shell; null: it is none, or the input contains it'),
      executed: z
        .literal(false)
        .exactOptional()
        .describe('false: the agent named a tool that it does not have, so nothing was executed'),
    })
    .describe('A call of a tool; without a result, it still ran when the agent ended, so it cannot end as `done`'),
  z
    .object({
      type: z.literal('tool_result'),
      id: z.string().describe('The id of the call'),
      exit_code: z.int().nullable().describe('Exit status of the command; null: unknown, or no command'),
      is_error: z.boolean().describe('Whether the call failed'),
      output: z.string().describe('What the tool answered'),
      truncated: z.boolean().describe('Whether the agent has shortened the output'),
      executed: z
        .literal(false)
        .exactOptional()
        .describe('false: nothing was executed, because the agent has no such tool, or the arguments do not fit it'),
    })
    .describe('The result of the call with this id'),
  z
    .object({
      type: z.literal('extension'),
      kind: z.enum(['skill', 'subagent', 'hook']).describe('What was used'),
      name: z.string().describe('Its name, as the agent calls it'),
      exit_code: z.int().nullable().describe('Exit status of a hook; null: unknown, or it is no hook'),
      output: z.string().describe('What a hook printed; empty for others'),
    })
    .describe('A use that no tool call shows: of a skill that the prompt names, a subagent or a hook'),
  z
    .object({
      type: z.literal('usage'),
      input: Count.nullable().describe('Input tokens, without those from a cache; null: unknown'),
      output: Count.nullable().describe('Output tokens, without reasoning; null: unknown'),
      reasoning: Count.nullable().describe('Reasoning tokens; null: unknown'),
      cache_read: Count.nullable().describe('Tokens read from a cache; null: unknown'),
      cache_write: Count.nullable().describe('Tokens written to a cache; null: unknown'),
      cost_usd: Usd.nullable().describe('US dollars; null: unknown, tokens times price count'),
      cost_of_start: z.literal(true).exactOptional().describe('cost_usd covers all usage since the last session event'),
    })
    .describe('Tokens and cost since the event before; they are added up'),
  z
    .object({
      type: z.literal('error'),
      message: z.string().describe('The message'),
      retryable: z.boolean().describe('Whether the same request may succeed later'),
      status: z.int().exactOptional().describe("The provider's HTTP status"),
    })
    .describe('An error that the agent reports'),
  z
    .object({
      type: z.literal('unknown'),
      kind: z.string().describe('What it is, in a few words'),
      lost: z
        .enum(['event', 'call'])
        .exactOptional()
        .describe('What may be missing in its place: any event, or calls of tools; absent: nothing'),
    })
    .describe('Output of no other type, or a line that could not be read'),
  z
    .object({
      type: z.literal('result'),
      ending: KeptText.describe('done, or how else it ended'),
      exit_code: z.int().nullable().describe('Exit status; null: unknown'),
    })
    .describe('How the agent ended'),
] as const;

/** A line of an agent that prints our events. Only the harness reports commands of the scenario. */
export const AgentEvent = z.discriminatedUnion('type', reported);
export type AgentEvent = z.infer<typeof AgentEvent>;

/** An event, as read by analysis, reports and transcripts; independent of the agent's own stream format. */
export const EventBody = z.discriminatedUnion('type', [
  ...reported,
  ...recordedOfMcp,
  z
    .object({
      type: z.enum(['setup_command', 'post_script']),
      command: z.string(),
      exit_code: z.int().nullable(),
      timed_out: z.boolean(),
      stdout: z.string(),
      stderr: z.string(),
    })
    .describe('A command of the scenario'),
]);
export type EventBody = z.infer<typeof EventBody>;

/**
 * One line of events.jsonl. `ts` is ISO 8601 UTC, `seq` counts from 1 in a run, `attempt` numbers the agent's starts.
 */
export const RunEvent = EventBody.and(z.object({ ts: KeptText, seq: z.int(), attempt: z.int() }));
export type RunEvent = z.infer<typeof RunEvent>;
