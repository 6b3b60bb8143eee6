import { KEPT_PROBLEMS, type OutputProblems } from '../../results/records/output-problems.js';
import type { StreamParser } from '../agent.js';
import { readEvent } from './read-event.js';

/**
 * Reads output in the form of our own events, one JSON object per line, of an agent that others wrote. Lines that do not
 * fit become `unknown` events and are reported: never text that passes for the agent's answer.
 */
export function eventStream(): StreamParser {
  const found: Omit<OutputProblems, 'unread'> = { lines: 0, events: 0, first: [] };
  let line = 0;
  let lostEvents = false;
  let lostUsage = false;
  return {
    line(text) {
      line += 1;
      if (text.trim() === '') return [];
      const { event, flaw, type } = readEvent(text);
      if (event !== null) found.events += 1;
      else if (isMeantAsEvent(text)) {
        lostEvents = true;
        lostUsage ||= type === null || type === 'usage';
      }
      if (flaw !== null) {
        found.lines += 1;
        if (found.first.length < KEPT_PROBLEMS) found.first.push({ start: 1, line, ...flaw });
      }
      return [event ?? { type: 'unknown', kind: `line ${line} is not an event` }];
    },
    end: () => [],
    usagePending: () => lostUsage,
    problems: () => ({ ...found, unread: lostEvents || found.events === 0 }),
  };
}

/** Reads the events of our own programs, which print nothing else. */
export function ownEventStream(): StreamParser {
  const stream = eventStream();
  return {
    line: (text) => stream.line(text),
    end: () => stream.end(),
    usagePending: () => stream.usagePending(),
  };
}

/** Whether a line that is no event may be a damaged one. Other lines are noise, such as the log of a library. */
const isMeantAsEvent = (text: string): boolean => /^\s*\{|"type"\s*:/.test(text);
