import { KEPT_PROBLEMS, type OutputProblems } from '#model';
import type { StreamParser } from '../agent.js';
import { isMeantAsObject, withoutMark } from './json-lines.js';
import { readEvent } from './read-event.js';
import { lostEvent, unknownEvent } from './stream-events.js';

/**
 * Reads output in the form of our own events, one JSON object per line, of an agent that others wrote. Lines that do not
 * fit become `unknown` events and are reported: never text that passes for the agent's answer.
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

/** Reads the events of our own programs, which print nothing else: no line is a message that they might have printed. */
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
