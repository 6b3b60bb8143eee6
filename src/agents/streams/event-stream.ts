import { beginningOf, isJsonObject, type Json, MAX_DEPTH, parseJson, suggest } from '#lib';
import { AgentEvent, KEPT_PROBLEMS, type OutputProblems } from '#model';
import { z } from 'zod';
import type { StreamParser } from '../agent.js';
import { isMeantAsObject, withoutMark } from './json-lines.js';
import { lostEvent, unknownEvent } from './stream-events.js';

/** The reason why a line is invalid. `field`: the first one that is wrong; null if the whole line is. */
interface Flaw {
  field: string | null;
  message: string;
}

/** A line of an agent's output. It has no event, a flaw, or both: an event with a field that does not exist. */
interface ReadEvent {
  event: AgentEvent | null;
  flaw: Flaw | null;
  /** The type that the line names, if there is such a type. */
  type: AgentEvent['type'] | null;
  /** True if numbers of its usage cannot be right: they are null in the event. */
  isPartial: boolean;
}

type Kind = (typeof AgentEvent.options)[number];

const kinds: ReadonlyMap<Json | undefined, Kind> = new Map(
  AgentEvent.options.map((kind) => [kind.shape.type.value, kind]),
);
const types = AgentEvent.options.map((kind) => kind.shape.type.value);

/** Fields that are added to events in events.jsonl. An agent may print them; they are ignored. */
const OF_THE_LOG = ['ts', 'seq', 'attempt'];
const SHOWN_FLAWS = 3;
const SHOWN_LENGTH = 60;

/** Reads a line as one of the events that agents report. Never throws. */
export function readEvent(text: string): ReadEvent {
  const line = parseJson(text);
  if (!isJsonObject(line)) return { ...NO_EVENT, flaw: { field: null, message: noObject(text, line) } };
  const kind = kinds.get(line['type']);
  if (kind === undefined) return { ...NO_EVENT, flaw: { field: 'type', message: wrongType(line['type']) } };
  const { value: type } = kind.shape.type;
  const { success, data, error } = kind.safeParse(line);
  const flaws = [
    ...(error?.issues ?? []).map(({ path, code }): Flaw => {
      const field = String(path[0]);
      return { field, message: `${type}.${field}: ${mismatch(fieldOf(kind, field), line[field], code)}` };
    }),
    ...unknownFields(kind, line).map((field): Flaw => {
      const shown = beginningOf(field, SHOWN_LENGTH);
      return {
        field: shown,
        message: `${type}.${shown}: unknown field${didYouMean(field, Object.keys(kind.shape))}`,
      };
    }),
  ];
  const event = success ? data : withoutWrongNumbers(kind, line, error);
  return { event, flaw: together(flaws), type, isPartial: event !== null && !success };
}

const NO_EVENT = { event: null, type: null, isPartial: false };

/**
 * A report of usage in which only numbers cannot be right, without these: what the others say was used and paid for.
 */
function withoutWrongNumbers(kind: Kind, line: Record<string, Json>, { issues }: z.ZodError): AgentEvent | null {
  const wrong = issues.map(({ path }) => String(path[0]));
  if (kind.shape.type.value !== 'usage' || wrong.some((field) => typeof line[field] !== 'number')) return null;
  const nulls = Object.fromEntries(wrong.map((field) => [field, null]));
  return kind.safeParse({ ...line, ...nulls }).data ?? null;
}

function noObject(text: string, value: Json | undefined): string {
  const shown = JSON.stringify(beginningOf(text.trim(), SHOWN_LENGTH));
  return value === undefined
    ? `not JSON, expected an event: ${shown}`
    : `expected an event, a JSON object, got ${shown}`;
}

const wrongType = (type: Json | undefined): string =>
  typeof type === 'string'
    ? `type: unknown type ${quoted(type)}${didYouMean(type, types)}; expected ${oneOf(types)}`
    : `type: ${type === undefined ? 'missing' : `got ${kindOf(type)}`}, expected ${oneOf(types)}`;

/** A line can have many fields that do not exist. */
function together(flaws: readonly Flaw[]): Flaw | null {
  const [first] = flaws;
  if (first === undefined) return null;
  const messages = flaws.slice(0, SHOWN_FLAWS).map(({ message }) => message);
  const more = flaws.length - messages.length;
  return {
    field: first.field,
    message: [...messages, ...(more === 0 ? [] : [`and ${more} more`])].join('; '),
  };
}

const unknownFields = (kind: Kind, line: Record<string, Json>): string[] =>
  Object.keys(line).filter((field) => !Object.hasOwn(kind.shape, field) && !OF_THE_LOG.includes(field));

const fieldOf = (kind: Kind, field: string): z.ZodType | undefined =>
  Object.entries(kind.shape as Record<string, z.ZodType>).find(([name]) => name === field)?.[1];

function mismatch(schema: z.ZodType | undefined, value: Json | undefined, code: string | undefined): string {
  if (value === undefined) return `missing, expected ${expectedBy(schema)}`;
  if (code === 'custom') return `nested too deeply, expected at most ${MAX_DEPTH} levels`;
  return `expected ${expectedBy(schema)}, got ${kindOf(value)}`;
}

function expectedBy(schema: z.ZodType | undefined): string {
  if (schema instanceof z.ZodNullable) return `${expectedBy(schema.unwrap() as z.ZodType)} or null`;
  if (schema instanceof z.ZodExactOptional) return expectedBy(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodEnum) return oneOf(schema.options.map(String));
  if (schema instanceof z.ZodLiteral) return [...schema.values].map(String).join(' or ');
  if (schema instanceof z.ZodString) return 'a string';
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodNumber)
    return `${schema.format === 'safeint' ? 'a whole number' : 'a number'}${rangeOf(schema)}`;
  return 'a JSON value';
}

const rangeOf = ({ minValue }: z.ZodNumber): string => (minValue === 0 ? ' from 0 to 2^53-1' : '');

function kindOf(value: Json): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}

const quoted = (text: string): string => JSON.stringify(beginningOf(text, SHOWN_LENGTH));

const oneOf = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;

function didYouMean(word: string, known: readonly string[]): string {
  const near = suggest(word, known);
  return near === null ? '' : `, did you mean ${JSON.stringify(near)}?`;
}

/**
 * Reads output in the form of our own events, one JSON object per line, of an agent that others wrote. Lines that do
 * not fit become `unknown` events and are reported: never text that passes for the agent's answer.
 */
export function eventStream(): StreamParser {
  const found: Omit<OutputProblems, 'unread'> = { lines: 0, events: 0, first: [] };
  let [start, line] = [1, 0];
  let lostEvents = false;
  let lostUsage = false;
  return {
    begin(number) {
      [start, line] = [number, 0];
    },
    line(text) {
      line += 1;
      if (text.trim() === '') return [];
      const { event, flaw, type, isPartial } = readEvent(withoutMark(text));
      const isLost = event === null && isMeantAsObject(text);
      lostUsage ||= isPartial || (isLost && (type === null || type === 'usage'));
      // The agent's work is known without its usage.
      const isDeed = isLost && type !== 'usage';
      lostEvents ||= isDeed;
      if (event !== null) found.events += 1;
      if (flaw !== null) {
        found.lines += 1;
        if (found.first.length < KEPT_PROBLEMS) found.first.push({ start, line, ...flaw });
      }
      if (event !== null) return [event];
      const kind = `line ${line} is not an event`;
      return [isDeed ? lostEvent(kind, 'event') : unknownEvent(kind)];
    },
    end: () => [],
    usagePending: () => lostUsage,
    problems: () => ({ ...found, unread: lostEvents || found.events === 0 }),
  };
}

/**
 * Reads the events of our own programs, which print nothing else: no line is a message that they might have printed.
 */
export function ownEventStream(): StreamParser {
  const stream = eventStream();
  return {
    ...stream,
    problems() {
      const found = stream.problems?.() ?? { lines: 0, events: 0, unread: false, first: [] };
      return { ...found, unread: found.events > 0 && found.unread };
    },
  };
}
