import { beginningOf } from '../lib/cut.js';
import { isJsonObject, isStorable, parseJson, type Json } from '../lib/json.js';
import type { EventBody } from '../results/events.js';
import { mayPass } from './provider-failure.js';

/** An object of an agent's own stream. Versions of an agent differ, so nothing is certain of what it holds. */
export type Native = Readonly<Record<string, Json>>;

const KIND_LENGTH = 100;

/** Reads a line of an agent's stream of JSON objects. Whatever else agents print between them is only counted. */
export function nativeLine(line: string, read: (event: Native) => EventBody[]): EventBody[] {
  if (line.trim() === '') return [];
  const event = parseJson(line);
  return isJsonObject(event) && isStorable(event) ? read(event) : [unknownKind('text')];
}

/** A line that the adapter does not know. */
export const unknownKind = (kind: string): EventBody => ({
  type: 'unknown',
  kind: beginningOf(kind, KIND_LENGTH),
});

/** An error, with the provider's HTTP status where the agent tells it. */
export const errorEvent = (
  message: string,
  status: number | null,
): Extract<EventBody, { type: 'error' }> => ({
  type: 'error',
  message,
  retryable: status !== null && mayPass(status),
  ...(status === null ? {} : { status }),
});

export const objectOf = (value: Json | undefined): Native => (isJsonObject(value) ? value : {});

export const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

export const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

/** A whole number, such as an exit code or a count of tokens. */
export const integerOf = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null;

/** A count of tokens where the agent tells of tokens at all, so that what it leaves out is none. */
export const tokensOf = (value: Json | undefined): number => Math.max(0, integerOf(value) ?? 0);
