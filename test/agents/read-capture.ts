import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Agent, AgentEnd, Classified, StreamParser } from '../../src/agents/agent.js';
import { createEndTracker } from '../../src/agents/streams/contradictions.js';
import { errorEvent } from '../../src/agents/streams/stream-events.js';
import type { EventBody } from '../../src/model/records/events.js';

/** The time at which the captured agents are assumed to have ended. */
export const AT = Date.parse('2026-11-22T05:30:00Z');

const path = (name: string): string => new URL(`./captures/${name}`, import.meta.url).pathname;

/** The lines of a captured stream (captures/README.md). */
export const linesOf = (name: string): string[] =>
  readFileSync(path(`${name}.jsonl`), 'utf8')
    .split('\n')
    .slice(0, -1);

/** The events that a parser gives for consecutive starts of an agent. */
export const eventsOf = (parser: StreamParser, ...names: string[]): EventBody[] => [
  ...names.flatMap((name, index) => {
    parser.begin?.(index + 1);
    return linesOf(name).flatMap((line) => parser.line(line));
  }),
  ...parser.end(),
];

export function ofType<T extends EventBody['type']>(events: EventBody[], type: T): Extract<EventBody, { type: T }>[] {
  return events.filter((event): event is Extract<EventBody, { type: T }> => event.type === type);
}

/** The end of a captured start, as `<capture>.json` has it. */
interface CapturedEnd {
  exit_code: number | null;
  signal: NodeJS.Signals | null;
  /** Set if it was stopped at a time limit. */
  stopped?: 'deadline';
  /** ISO 8601; when it last printed to stdout. */
  printed_at?: string;
}

/** The end of an agent, by the last of its captured starts. */
export function endOf(agent: Agent, ...names: string[]): AgentEnd {
  const last = names.at(-1) ?? '';
  const { exit_code, signal, stopped, printed_at } = JSON.parse(
    readFileSync(path(`${last}.json`), 'utf8'),
  ) as CapturedEnd;
  const end = createEndTracker();
  const events = eventsOf(agent.parser(), ...names);
  for (const event of events) end.add(event);
  const why = sessionProblem(agent, last, ofType(events, 'session').at(-1)?.session_id ?? '');
  if (why !== null) end.add(errorEvent(why, null, false));
  return {
    exitCode: exit_code ?? 128 + constants.signals[signal ?? 'SIGKILL'],
    stopped: stopped ?? null,
    at: AT,
    ...(printed_at === undefined ? {} : { printedAt: Date.parse(printed_at) }),
    stderr: existsSync(path(`${last}.stderr`)) ? readFileSync(path(`${last}.stderr`), 'utf8') : '',
    ...end.read(),
  };
}

const sessionProblem = ({ lastAnswer }: Agent, name: string, session: string): string | null =>
  lastAnswer !== undefined && existsSync(path(`${name}.log`))
    ? lastAnswer.sessionProblem(readFileSync(path(`${name}.log`), 'utf8'), session)
    : null;

/** The classified end of an agent, by the last of its captured starts. */
export const classify = (agent: Agent, ...names: string[]): Classified => agent.classify(endOf(agent, ...names));

/** The sums of tokens and dollars of all events; null if none was reported. */
export function usageOf(events: EventBody[]): Record<string, number | null> {
  const names = ['input', 'output', 'reasoning', 'cache_read', 'cache_write', 'cost_usd'] as const;
  const sum = (name: (typeof names)[number]): number | null =>
    ofType(events, 'usage').reduce<number | null>(
      (total, { [name]: value }) => (value === null ? total : Number(((total ?? 0) + value).toFixed(8))),
      null,
    );
  return Object.fromEntries(names.map((name) => [name, sum(name)]));
}
