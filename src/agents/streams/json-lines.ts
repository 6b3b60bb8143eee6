import { isCount, isUsd, type Json } from '#lib';
import { type EventBody, isCostAlone, KEPT_PROBLEMS, type LineProblem, REQUIRED_TOKENS } from '#model';
import { fieldsOfLine, type Fields } from './json-fields.js';
import { lostEvent, unknownEvent } from './stream-events.js';
import type { StreamParser } from '../agent.js';

/**
 * Reads the numbers in an agent's report of its usage. A missing number is unknown. A number that cannot be right is
 * unknown, too, and reported with its line.
 */
export interface Numbers {
  count(fields: Fields, name: string): number | null;
  usd(fields: Fields, name: string): number | null;
  /**
   * Returns a total without parts of it; null if one of them is unknown. The parts of a right total are not more than
   * it.
   */
  without(total: number | null, parts: readonly (number | null)[], name: string): number | null;
}

/** The lines of a stream of JSON objects. */
export interface JsonLines extends Pick<StreamParser, 'line' | 'begin'> {
  problems: NonNullable<StreamParser['problems']>;
  /** True once a number of tokens was wrong or missing, so that not all usage is known. */
  lacksUsage(): boolean;
}

/** Reads a stream of JSON objects, each on a line. Any other text becomes an `unknown` event. */
export function jsonLines(read: (fields: Fields, numbers: Numbers) => EventBody[]): JsonLines {
  let [start, line, events, wrong] = [1, 0, 0, 0];
  let lacksUsage = false;
  let lastWrong: { start: number; line: number } | null = null;
  const first: LineProblem[] = [];

  const note = (field: string, message: string): null => {
    if (lastWrong?.line !== line || lastWrong.start !== start) wrong += 1;
    lastWrong = { start, line };
    lacksUsage = true;
    if (first.length < KEPT_PROBLEMS) first.push({ start, line, field, message: `usage.${field}: ${message}` });
    return null;
  };
  const numbers: Numbers = {
    count: (fields, name) => {
      const value = fields[name] ?? null;
      return value === null || isCount(value)
        ? value
        : note(name, `expected a whole number from 0 to 2^53-1, got ${shown(value)}`);
    },
    usd: (fields, name) => {
      const value = fields[name] ?? null;
      return value === null || isUsd(value)
        ? value
        : note(name, `expected a number from 0 to 2^53-1, got ${shown(value)}`);
    },
    without: (total, parts, name) => {
      if (total === null || parts.includes(null)) return null;
      const part = parts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
      return part <= total
        ? total - part
        : note(name, `expected at least ${part}, which is the sum of its parts, got ${total}`);
    },
  };
  return {
    begin(number) {
      [start, line] = [number, 0];
    },
    line(text) {
      line += 1;
      if (text.trim() === '') return [];
      const fields = fieldsOfLine(withoutMark(text));
      const found =
        fields === null
          ? [isMeantAsObject(text) ? lostEvent('text', 'event') : unknownEvent('text')]
          : read(fields, numbers);
      events += found.length;
      lacksUsage ||= found.some(isIncomplete);
      return found;
    },
    problems: () => ({ lines: wrong, events, unread: false, first: [...first] }),
    lacksUsage: () => lacksUsage,
  };
}

/** A report of tokens without a count that every answer has. */
const isIncomplete = (event: EventBody): boolean =>
  event.type === 'usage' && !isCostAlone(event) && REQUIRED_TOKENS.some((kind) => event[kind] === null);

/** Without the byte order mark that some programs print before their first line. */
export const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

/** True if a line that is no object may be a damaged one. Other lines are noise, such as the log of a library. */
export const isMeantAsObject = (text: string): boolean => /^[\s\uFEFF]*\{|"type"\s*:/.test(text);

const shown = (value: Json): string =>
  typeof value === 'object' ? (Array.isArray(value) ? 'an array' : 'an object') : JSON.stringify(value);
