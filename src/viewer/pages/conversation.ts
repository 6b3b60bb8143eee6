import { parseJson } from '#lib/pure';
import type { GateDetail } from '#model';
import { commandOf, isFailedResult, pairMcpCalls, skillsOf } from '#model/pure';
import type { ShownEvent } from '../protocol.js';

type EventOf<Type extends ShownEvent['type']> = Extract<ShownEvent, { type: Type }>;

/** A call of a tool with its result, which is null while it runs. */
export interface Call {
  kind: 'call';
  event: EventOf<'tool_call'>;
  /** The shell command; null if the tool is not a shell. */
  command: string | null;
  result: EventOf<'tool_result'> | null;
  /** Names of the skills that it uses. */
  skills: string[];
  /** The record of it by the proxy of an MCP server; null: it calls none, or is not answered yet. */
  mcp: McpCall | null;
}

export type McpCall = EventOf<'mcp_call'>;

/** One thing in the conversation with an agent. */
export type Item =
  | { kind: 'message'; event: EventOf<'message'> }
  | { kind: 'thought'; event: EventOf<'reasoning'> }
  | { kind: 'extension'; event: EventOf<'extension'> }
  | Call
  /** A call that the agent itself does not report. */
  | { kind: 'mcp'; event: McpCall }
  | { kind: 'tools'; event: EventOf<'mcp_tools'> }
  | { kind: 'problem'; event: EventOf<'mcp_problem'> }
  | { kind: 'script'; event: EventOf<'setup_command' | 'post_script'> }
  | { kind: 'start'; event: EventOf<'session'>; number: number }
  | { kind: 'error'; event: EventOf<'error'> }
  | { kind: 'end'; event: EventOf<'result'> };

/** The agent's usage so far, as far as it reports that. */
interface Used {
  /** Null: nothing but text is known of the agent, so it may have made some. */
  calls: number | null;
  failed: number;
  /** Calls to MCP servers under test. */
  mcpCalls: number;
  /** Names of the skills that were used. */
  skills: string[];
  tokensIn: number | null;
  tokensOut: number | null;
  /** US dollars; null: not reported. */
  costUsd: number | null;
}

export interface Conversation {
  items: Item[];
  used: Used;
}

/** True if a call failed; false while it runs. */
export const hasFailed = ({ result, mcp }: Call): boolean =>
  mcp?.is_error === true || (result !== null && isFailedResult(result));

/** True if an item is a call that failed. */
export const isFailedItem = (item: Item): boolean =>
  (item.kind === 'call' && hasFailed(item)) || (item.kind === 'mcp' && item.event.is_error);

/** Puts the events of a run together: calls with their results, and what was used. */
export function conversationOf(events: readonly ShownEvent[]): Conversation {
  const items: Item[] = [];
  const used: Used = {
    calls: null,
    failed: 0,
    mcpCalls: 0,
    skills: [],
    tokensIn: null,
    tokensOut: null,
    costUsd: null,
  };
  const pairs = pairMcpCalls(events);
  const recorded = new Map(
    events.flatMap((event) => {
      const call = event.type === 'mcp_call' ? pairs.get(event.seq) : undefined;
      return event.type !== 'mcp_call' || call === undefined ? [] : [[call, event] as const];
    }),
  );
  let open = new Map<string, Call>();
  let last: Call | undefined;
  let [attempt, starts] = [0, 0];
  let costBeforeStart = 0;
  for (const event of events) {
    // Ids are unique only within a start.
    if (event.attempt !== attempt) open = new Map();
    attempt = event.attempt;
    switch (event.type) {
      case 'message':
        items.push({ kind: 'message', event });
        break;
      case 'reasoning':
        items.push({ kind: 'thought', event });
        break;
      case 'extension':
        items.push({ kind: 'extension', event });
        if (event.kind === 'skill') used.skills = [...new Set([...used.skills, event.name])];
        break;
      case 'tool_call':
        last = {
          kind: 'call',
          event,
          command: commandOf(event),
          result: null,
          skills: skillsOf(event),
          mcp: recorded.get(event.seq) ?? null,
        };
        used.skills = [...new Set([...used.skills, ...last.skills])];
        open.set(event.id, last);
        items.push(last);
        used.calls = (used.calls ?? 0) + 1;
        break;
      case 'tool_result': {
        // A result whose id matches no call belongs to the call before it.
        const call = open.get(event.id) ?? last;
        open.delete(event.id);
        if (call === undefined) break;
        call.result = event;
        break;
      }
      case 'usage':
        used.calls ??= 0;
        used.tokensIn = sum(used.tokensIn, event.input, event.cache_read, event.cache_write);
        used.tokensOut = sum(used.tokensOut, event.output, event.reasoning);
        if (event.cost_usd !== null)
          used.costUsd =
            event.cost_of_start === true ? costBeforeStart + event.cost_usd : (used.costUsd ?? 0) + event.cost_usd;
        break;
      case 'session':
        starts += 1;
        used.calls ??= 0;
        costBeforeStart = used.costUsd ?? 0;
        items.push({ kind: 'start', event, number: starts });
        break;
      case 'setup_command':
      case 'post_script':
        items.push({ kind: 'script', event });
        break;
      case 'error':
        items.push({ kind: 'error', event });
        break;
      case 'result':
        items.push({ kind: 'end', event });
        break;
      case 'mcp_call':
        used.mcpCalls += 1;
        if (pairs.has(event.seq)) break;
        items.push({ kind: 'mcp', event });
        used.calls = (used.calls ?? 0) + 1;
        break;
      case 'mcp_tools':
        items.push({ kind: 'tools', event });
        break;
      case 'mcp_problem':
        items.push({ kind: 'problem', event });
        break;
      case 'unknown':
        break;
    }
  }
  used.failed = items.filter(isFailedItem).length;
  return { items, used };
}

/** Adds the known ones among some numbers; null if none is known. */
const sum = (...numbers: (number | null)[]): number | null => {
  const known = numbers.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
};

/** The numbers of the events that an item shows. */
export const eventsIn = (item: Item): number[] =>
  item.kind === 'call' ? [item.event, item.result, item.mcp].flatMap((event) => event?.seq ?? []) : [item.event.seq];

/** Returns the index of the item that shows an event, else of the last one before it; -1 if there is none. */
export function indexOfEvent(items: readonly Item[], seq: number): number {
  const shown = items.findIndex((item) => eventsIn(item).includes(seq));
  return shown !== -1 ? shown : items.findLastIndex(({ event }) => event.seq < seq);
}

/** Returns the number of the first failed call after an event, else of the first one of all; null if none failed. */
export function nextFailed(items: readonly Item[], after: number): number | null {
  const failed = items.filter(isFailedItem).map(({ event }) => event.seq);
  return failed.find((seq) => seq > after) ?? failed[0] ?? null;
}

/** A call that has to do with what a gate found. */
export interface Related {
  call: Call;
  why: string;
}

/** More would be no hint. */
const MOST = 3;

/**
 * Finds the calls that may have caused what a gate found: those that its message quotes; else, of a gate that checks a
 * file, the last one that names the file; else, of one that asks for no errors, those that failed. None if nothing is
 * known.
 */
export function relatedCalls(gate: GateDetail, calls: readonly Call[]): Related[] {
  const suspects = gate.gate_type === 'no_transcript_errors' ? calls.filter(hasFailed) : calls;
  const quotes = quotedTexts(`${gate.message}\n${gate.detail === null ? '' : JSON.stringify(gate.detail)}`);
  const quoted = suspects.filter(({ command }) => command !== null && quotes.some((quote) => runs(command, quote)));
  if (quoted.length > 0) return few(quoted, 'named by the gate');
  if (gate.gate_type.startsWith('file_') && gate.subject !== '') {
    const naming = calls.findLast(({ command, event }) => names(command ?? JSON.stringify(event.input), gate.subject));
    if (naming !== undefined) return few([naming], `the last call that names ${gate.subject}`);
  }
  if (gate.gate_type === 'mcp_no_errors')
    return few(
      calls.filter(({ mcp }) => mcp?.is_error === true),
      'it failed',
    );
  return gate.gate_type === 'no_transcript_errors' ? few(suspects, 'it failed') : [];
}

const few = (calls: readonly Call[], why: string): Related[] => calls.slice(0, MOST).map((call) => ({ call, why }));

/** Returns the texts in quotes, which gates write as JSON. */
const quotedTexts = (text: string): string[] =>
  (text.match(/"(?:[^"\\\n]|\\.)+"/g) ?? []).flatMap((quote) => {
    const quoted = parseJson(quote);
    return typeof quoted === 'string' && quoted.trim() !== '' ? [quoted.trim()] : [];
  });

/** True if a script runs a command, not one that only begins or ends like it. A quote that was cut ends with "…". */
function runs(script: string, quote: string): boolean {
  const [command, end] = quote.endsWith('…') ? [quote.slice(0, -1), ''] : [quote, '(?=\\s*(?:$|[\\n;&|)`}#<>]))'];
  const start = '(?:^|[\\n;&|({`!])\\s*(?:(?:\\w+=\\S*|then|do|else)\\s+)*';
  return new RegExp(`${start}${escaped(command)}${end}`).test(script);
}

/** True if a text names a file, and not one whose path only contains this one: notes.md, not old-notes.md. */
const names = (text: string, path: string): boolean =>
  new RegExp(`(?<![\\w.-])${escaped(path)}(?![\\w/-]|\\.\\w)`).test(text);

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
