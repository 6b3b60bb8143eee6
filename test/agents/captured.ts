import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import fc from 'fast-check';
import type { Agent, AgentEnd, AgentRequest, Classified, StreamParser } from '../../src/agents/agent.js';
import type { AgentSettings } from '../../src/agents/settings.js';
import type { EventBody } from '../../src/results/events.js';

const folder = new URL('./captures/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

export const NO_SETTINGS: AgentSettings = { args: [], models: [], env: {} };

export const REQUEST: AgentRequest = {
  prompt: '- Do it\nnow',
  model: 'default',
  workspace: '/run/fixture',
  home: '/run/home',
  config: '/run/config',
  sessionId: '00000000-0000-4000-a000-000000000000',
  maxTurns: null,
  system: null,
  access: null,
  mock: null,
};

/** Names of the captures of an agent. */
export const capturesOf = (agent: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(`${agent}-`) && name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length));

export const linesOf = (capture: string): string[] => read(`${capture}.jsonl`).trim().split('\n');

/** What a parser makes of a capture, or of several that are one session. */
export function eventsOf(parser: StreamParser, ...captures: string[]): EventBody[] {
  return [...captures.flatMap(linesOf).flatMap((line) => parser.line(line)), ...parser.end()];
}

/** How an agent that ended as it did in a capture is classified. */
export function classified(agent: Agent, capture: string, at = 0): Classified {
  const events = eventsOf(agent.parser(), capture);
  const { exit_code, signal } = JSON.parse(read(`${capture}.json`)) as {
    exit_code: number | null;
    signal: NodeJS.Signals | null;
  };
  const end: AgentEnd = {
    exitCode: exit_code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
    stopped: null,
    at,
    result: ofType(events, 'result').at(-1) ?? null,
    error: ofType(events, 'error').at(-1) ?? null,
    stderr: existsSync(new URL(`${capture}.stderr`, folder)) ? read(`${capture}.stderr`) : '',
  };
  return agent.classify(end);
}

export const ofType = <T extends EventBody['type']>(events: EventBody[], type: T) =>
  events.filter((event): event is Extract<EventBody, { type: T }> => event.type === type);

/** Lines that an agent could print but never should: cut, of other types, of other JSON, of no JSON at all. */
export function hostileLine(agent: string): fc.Arbitrary<string> {
  const line = fc.constantFrom(...new Set(capturesOf(agent).flatMap(linesOf)));
  return fc.oneof(
    fc.tuple(line, fc.nat()).map(([text, at]) => text.slice(0, at % text.length)),
    fc.tuple(line, fc.nat(60), fc.jsonValue()).map(([text, at, value]) => withValue(text, at, value)),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary' }),
  );
}

/** A line of JSON with another value in one place. */
function withValue(line: string, at: number, value: unknown): string {
  let visited = 0;
  return JSON.stringify(JSON.parse(line), (_, old: unknown) => (visited++ === at ? value : old));
}
