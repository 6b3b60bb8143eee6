import type { EventBody } from '../../results/records/events.js';
import { fieldsOfLine, type Fields } from './json-fields.js';

/** Statuses of a provider that say nothing against the request. */
const AGAIN = new Set([408, 409, 425, 429]);

/** Whether a provider that answered so may serve the same request at another time. */
export const isBusyStatus = (status: number): boolean => AGAIN.has(status) || status >= 500;

/** An error with the provider's status, where the agent tells one; `retryable` where it says so itself, or the status. */
export const errorEvent = (message: string, status: number | null, retryable: boolean): EventBody => ({
  type: 'error',
  message,
  retryable: retryable || (status !== null && isBusyStatus(status)),
  ...(status === null ? {} : { status }),
});

/** A line, or a part of one, that the adapter does not know. */
export const unknownEvent = (kind: string): EventBody => ({ type: 'unknown', kind });

/** Reads a line of a stream of JSON objects. Whatever else an agent prints between them is only counted. */
export function eventsOfLine(line: string, read: (fields: Fields) => EventBody[]): EventBody[] {
  if (line.trim() === '') return [];
  const fields = fieldsOfLine(line);
  return fields === null ? [unknownEvent('text')] : read(fields);
}
