import { beginningOf, type Json } from '#lib';
import type { Verdict } from './gate.js';

export const pass = (message: string): Verdict => ({ status: 'pass', message });

export const fail = (message: string): Verdict => ({ status: 'fail', message });

/** The verdict of a check that could not be performed. It does not count against the agent. */
export const broken = (message: string): Verdict => ({ status: 'error', message });

/** The verdict of a check that did not finish in time. */
export const tooSlow = (timeoutSecs: number): Verdict =>
  fail(`not finished within ${timeoutSecs} s: too much input for this check, or a slow pattern`);

/** A text in quotes, shortened for a message. */
export const quotedText = (text: string): string => JSON.stringify(beginningOf(text, 120));

/** A JSON value as text, shortened for a message. */
export function printed(value: Json): string {
  try {
    return beginningOf(JSON.stringify(value), 120);
  } catch {
    return 'a deeply nested value'; // JSON.stringify recurses, JSON.parse does not
  }
}

/** The kind of a JSON value, for messages: "a string", "an array". */
export function jsonKindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
