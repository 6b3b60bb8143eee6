import { beginningOf, isStorable, type Json, parseJson, shortenStrings } from '#lib';
import { JsonValue, type McpEvent } from '#model';
import { z } from 'zod';

/*
 * The records of a proxy about its server, one JSON object per line. A call has a line when it is made and another one
 * when it is answered, so that a call that never ends is known too.
 */

const at = z.number();

const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), at }),
  /** Another proxy has taken the place of one that was lost. */
  z.object({ type: z.literal('replaced'), at }),
  z.object({ type: z.literal('call'), at, id: z.string(), tool: z.string(), arguments: JsonValue }),
  z.object({
    type: z.literal('answer'),
    at,
    id: z.string(),
    result: JsonValue,
    error: z.string().nullable(),
    is_error: z.boolean(),
    duration_ms: z.int(),
    mocked: z.boolean(),
  }),
  z.object({ type: z.literal('tools'), at, tools: z.array(z.object({ name: z.string(), bytes: z.int() })) }),
  z.object({ type: z.literal('problem'), at, message: z.string(), limit: z.literal(true).exactOptional() }),
]);
/** A line without its time, which the program adds. */
type WithoutTime<T> = T extends { at: number } ? Omit<T, 'at'> : never;
export type ProxyRecord = WithoutTime<z.infer<typeof Line>>;

/** An event and when it happened, in ms since the epoch. */
export interface TimedEvent {
  at: number;
  event: McpEvent;
}

const NOT_STARTED = 'the agent did not start this server';
const NOT_ASKED = 'the agent ended before it knew the tools of this server';
const UNANSWERED = 'the call had no answer when the agent ended';
const LOST = 'llm-tool-test lost the connection during a call, and nobody knows its answer';
const DAMAGED = 'a part of what was recorded of it cannot be read';

/**
 * Converts the records of one server to events, in the order of time. `text`: null if there are none. `endedAt`: when
 * the agent ended, in ms since the epoch.
 */
export function eventsOfRecords(server: string, text: string | null, endedAt: number): TimedEvent[] {
  const problem = (message: string): TimedEvent => ({
    at: endedAt,
    event: { type: 'mcp_problem', server, message },
  });
  const written = (text ?? '').split('\n').filter((line) => line !== '');
  if (written.length === 0) return [problem(NOT_STARTED)];
  const { lines, events, open } = readRecords(server, written);
  const unanswered = [...open.values()].map((call): TimedEvent => ({
    at: endedAt,
    event: {
      type: 'mcp_call',
      server,
      ...call,
      result: null,
      error: UNANSWERED,
      is_error: true,
      duration_ms: null,
      mocked: false,
    },
  }));
  const isUnknown = !lines.some(({ type }) => type === 'tools' || type === 'problem');
  return [
    ...events,
    ...unanswered,
    ...(isUnknown ? [problem(NOT_ASKED)] : []),
    ...(lines.length < written.length ? [problem(DAMAGED)] : []),
  ];
}

/**
 * Converts the records of a server whose agent still works: without what only the end can tell, such as calls without
 * an answer.
 */
export const eventsSoFar = (server: string, text: string): TimedEvent[] => readRecords(server, text.split('\n')).events;

interface Records {
  /** The lines that could be read. */
  lines: z.infer<typeof Line>[];
  events: TimedEvent[];
  /** Calls without an answer, by their ids. */
  open: Map<string, { tool: string; arguments: Json }>;
}

function readRecords(server: string, written: readonly string[]): Records {
  const lines = written.flatMap((line) => Line.safeParse(parseJson(line)).data ?? []);
  const open = new Map<string, { tool: string; arguments: Json }>();
  const events: TimedEvent[] = [];
  for (const line of lines) {
    switch (line.type) {
      case 'started':
        break;
      case 'replaced':
        if (open.size > 0)
          events.push({ at: line.at, event: { type: 'mcp_problem', server, message: LOST, limit: true } });
        open.clear();
        break;
      case 'call':
        open.set(line.id, { tool: line.tool, arguments: line.arguments });
        break;
      case 'answer': {
        const call = open.get(line.id);
        open.delete(line.id);
        const { at, result, error, is_error, duration_ms, mocked } = line;
        if (call !== undefined)
          events.push({
            at,
            event: { type: 'mcp_call', server, ...call, result, error, is_error, duration_ms, mocked },
          });
        break;
      }
      case 'tools':
        events.push({ at: line.at, event: { type: 'mcp_tools', server, tools: line.tools } });
        break;
      case 'problem':
        events.push({
          at: line.at,
          event: {
            type: 'mcp_problem',
            server,
            message: line.message,
            ...(line.limit === true ? { limit: true } : {}),
          },
        });
        break;
    }
  }
  return { lines, events, open };
}

/**
 * In characters of JSON. What a tool answers may be larger than a record can be; only its beginning is recorded then.
 */
const MAX_RESULT = 1024 * 1024;
const MAX_TEXT = 64 * 1024;
const DEEP = '(nested too deeply to be recorded) …';

/** Shortens a value to what can be stored. What was shortened ends with an ellipsis. */
export function recordable(value: Json, limit = MAX_RESULT): Json {
  if (!isStorable(value)) return DEEP;
  const text = JSON.stringify(value);
  if (text.length <= limit) return value;
  const shorter = shortenStrings(value, MAX_TEXT);
  return JSON.stringify(shorter).length <= limit ? shorter : beginningOf(text, limit);
}
