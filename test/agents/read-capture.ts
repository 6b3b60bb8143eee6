import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Agent, AgentEnd, Classified, StreamParser } from '../../src/agents/agent.js';
import type { EventBody } from '../../src/results/records/events.js';

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
  ...names.flatMap((name) => linesOf(name).flatMap((line) => parser.line(line))),
  ...parser.end(),
];

export function ofType<T extends EventBody['type']>(
  events: EventBody[],
  type: T,
): Extract<EventBody, { type: T }>[] {
  return events.filter((event): event is Extract<EventBody, { type: T }> => event.type === type);
}

/** The classified end of an agent, by the last of its starts. */
export function classify(agent: Agent, ...names: string[]): Classified {
  const events = eventsOf(agent.parser(), ...names);
  const last = names.at(-1) ?? '';
  const { exit_code: code, signal } = JSON.parse(readFileSync(path(`${last}.json`), 'utf8')) as {
    exit_code: number | null;
    signal: NodeJS.Signals | null;
  };
  const end: AgentEnd = {
    exitCode: code ?? 128 + constants.signals[signal ?? 'SIGKILL'],
    stopped: null,
    at: AT,
    result: ofType(events, 'result').at(-1) ?? null,
    error: ofType(events, 'error').at(-1) ?? null,
    stderr: existsSync(path(`${last}.stderr`)) ? readFileSync(path(`${last}.stderr`), 'utf8') : '',
  };
  return agent.classify(end);
}

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
