import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventStream, ownEventStream, readEvent } from '../../../src/agents/streams/event-stream.js';
import { AgentEvent, EventBody } from '../../../src/model/records/events.js';
import { KEPT_PROBLEMS } from '../../../src/model/records/output-problems.js';

/** Returns what a parser makes of all lines of an output. */
function read(lines: string[]) {
  const parser = eventStream();
  const events = [...lines.flatMap((line) => parser.line(line)), ...parser.end()];
  const problems = parser.problems?.();
  if (problems === undefined) throw new Error('nothing is said about lines that do not fit');
  return { events, problems, usagePending: parser.usagePending() };
}

const call: AgentEvent = {
  type: 'tool_call',
  id: '1',
  name: 'shell',
  input: { command: 'ls' },
  command: 'ls',
};
const result: AgentEvent = {
  type: 'tool_result',
  id: '1',
  exit_code: 0,
  is_error: false,
  output: 'a',
  truncated: false,
};
const usage: AgentEvent = {
  type: 'usage',
  input: 1,
  output: 2,
  reasoning: null,
  cache_read: null,
  cache_write: null,
  cost_usd: 0.1,
};
/** One of each type. */
const all: AgentEvent[] = [
  { type: 'session', session_id: 's', model_requested: null, model_used: 'm' },
  { type: 'message', role: 'user', text: 'u' },
  { type: 'reasoning', text: 'r' },
  call,
  result,
  { type: 'extension', kind: 'hook', name: 'Stop', exit_code: 0, output: 'o' },
  usage,
  { type: 'error', message: 'e', retryable: true, status: 503 },
  { type: 'unknown', kind: 'heartbeat' },
  { type: 'result', ending: 'done', exit_code: 0 },
];
const json = JSON.stringify;

describe('output that should be events', () => {
  it('gives events of every type unchanged, and has no problems', () => {
    expect(new Set(all.map(({ type }) => type)).size).toBe(AgentEvent.options.length);
    const { events, problems } = read(all.map((event) => json(event)));
    expect(events).toEqual(all);
    expect(problems).toEqual({ lines: 0, events: all.length, unread: false, first: [] });
  });

  it('may have empty lines, and the fields that events have in events.jsonl', () => {
    const logged = json({ ts: '2026-01-01T00:00:00.000Z', seq: 1, attempt: 1, ...call });
    const { events, problems } = read(['', logged, '  ']);
    expect(events).toEqual([call]);
    expect(problems).toMatchObject({ lines: 0, unread: false });
  });

  it('gives other lines as unknown events, never as a message of the agent, and reports each with its number', () => {
    const lines = ['Loading ...', json(call), '{"type":"tool_call"}', '', '{cut', json(result)];
    const { events, problems } = read(lines);
    expect(events.map(({ type }) => type)).toEqual(['unknown', 'tool_call', 'unknown', 'unknown', 'tool_result']);
    expect(problems.first.map(({ line, field }) => [line, field])).toEqual([
      [1, null],
      [3, 'id'],
      [5, null],
    ]);
  });

  it.each([
    ['noise', 'Loading the model', false],
    ['a number', '5', false],
    ['an event without a field', '{"type":"message","role":"assistant"}', true],
    ['an event of an unknown type', '{"type":"tool_cal"}', true],
    ['half an event', '{"type":"tool_call","id":', true],
    ['an event behind other output', 'Loading ... {"type":"tool_call"}', true],
  ])('leaves what the agent did unknown only if an event may be lost: %s', (_, line, unread) => {
    expect(read([json(call), line]).problems).toMatchObject({ lines: 1, events: 1, unread });
  });

  it.each([
    ['nothing', []],
    ['only noise', ['starting', 'done']],
  ])('cannot be read if it has no event: %s', (_, lines) => {
    expect(read(lines).problems).toMatchObject({ events: 0, unread: true });
  });

  it('leaves the usage unknown if an event with usage may be lost', () => {
    expect(read([json(usage), '{"type":"message"}', 'noise']).usagePending).toBe(false);
    expect(read([json(usage), '{"type":"usage","input":1}']).usagePending).toBe(true);
    expect(read([json(usage), '{"type":"us']).usagePending).toBe(true);
  });

  it('keeps a limited number of problems, and counts all', () => {
    const { problems } = read(Array.from({ length: 5000 }, () => 'noise'));
    expect(problems.lines).toBe(5000);
    expect(problems.first.map(({ line }) => line)).toEqual(
      Array.from({ length: KEPT_PROBLEMS }, (_, index) => index + 1),
    );
  });

  it('survives an extremely deeply nested input', () => {
    const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const { events, problems } = read([
      `{"type":"tool_call","id":"1","name":"n","command":null,"input":${nested}}`,
      json(result),
    ]);
    expect(events).toEqual([{ type: 'unknown', kind: 'line 1 is not an event', lost: 'event' }, result]);
    expect(problems).toMatchObject({ lines: 1, events: 1, unread: true });
  });

  it('reports wrong lines of our own programs too, which run code of others; but they may print nothing', () => {
    const own = ownEventStream();
    expect(own.problems?.()).toEqual({ lines: 0, events: 0, unread: false, first: [] });
    expect(own.line(json(call))).toEqual([call]);
    expect(own.problems?.()).toMatchObject({ lines: 0, unread: false });
    own.line(json({ ...usage, input: 0.5 }));
    expect(own.problems?.()).toMatchObject({ lines: 1, unread: false });
    expect(own.usagePending()).toBe(true);
    own.line('{"type":"tool_');
    expect(own.problems?.()).toMatchObject({ lines: 2, unread: true });
  });

  it.each([
    ['input', 12.5, 'a whole number'],
    ['output', -1, 'a whole number'],
    ['cache_read', 2 ** 53, 'a whole number'],
    ['reasoning', 1e300, 'a whole number'],
    ['cost_usd', -3, 'a number'],
    ['cost_usd', 1e300, 'a number'],
  ])('takes a number that cannot be right as unknown, and keeps the others: %s %d', (field, value, expected) => {
    const { events, problems, usagePending } = read([json(call), json({ ...usage, [field]: value })]);
    expect(events).toEqual([call, { ...usage, [field]: null }]);
    expect(usagePending).toBe(true);
    expect(problems).toEqual({
      lines: 1,
      events: 2,
      unread: false,
      first: [
        {
          start: 1,
          line: 2,
          field,
          message: `usage.${field}: expected ${expected} from 0 to 2^53-1 or null, got ${String(value)}`,
        },
      ],
    });
  });

  it('loses only usage with a line of usage that is no event', () => {
    const { events, problems, usagePending } = read([json(call), json({ ...usage, input: '5' })]);
    expect(events).toEqual([call, { type: 'unknown', kind: 'line 2 is not an event' }]);
    expect([problems.unread, usagePending]).toEqual([false, true]);
  });

  it('may begin with a byte order mark', () => {
    const { events, problems } = read([`\uFEFF${json(all[0])}`, json(call)]);
    expect(events).toEqual([all[0], call]);
    expect(problems).toMatchObject({ lines: 0, unread: false });
  });

  it('counts lines from the beginning of each start', () => {
    const parser = eventStream();
    parser.begin?.(2);
    for (const line of [json(call), '{']) parser.line(line);
    parser.begin?.(3);
    parser.line('{');
    expect(parser.problems?.().first).toMatchObject([
      { start: 2, line: 2 },
      { start: 3, line: 1 },
    ]);
  });
});

/** The same event without a field, or with a field of another type. */
const spoilt = fc
  .constantFrom(...all)
  .chain((event) =>
    fc
      .constantFrom(...Object.keys(event).filter((name) => name !== 'status'))
      .chain((field) => fc.constantFrom({ ...event, [field]: undefined }, { ...event, [field]: { wrong: [true] } })),
  )
  // Any JSON is an input.
  .filter((event) => !AgentEvent.safeParse(event).success);
const bad = fc.oneof(
  spoilt.map((event) => json(event)),
  fc
    .constantFrom(...all)
    .chain((event) => fc.integer({ min: 1, max: json(event).length - 1 }).map((cut) => json(event).slice(0, cut))),
  fc.json().filter((text) => !AgentEvent.safeParse(JSON.parse(text)).success),
  fc.string({ unit: 'binary' }).filter((text) => text.trim() !== ''),
  fc.constantFrom('{"type":"__proto__"}', '{"type":"setup_command"}', '{"__proto__":{"type":"message"}}'),
);
const line = fc.oneof(
  fc.constantFrom(...all).map((event) => ({ text: json(event), event, isBad: false })),
  fc.constant({ text: '', event: null, isBad: false }),
  bad.map((text) => ({ text, event: null, isBad: true })),
);

/** A line may be a damaged event, except that one of usage says nothing of what was done. */
const lostOf = (text: string): { lost?: 'event' } =>
  /^[\s\uFEFF]*\{|"type"\s*:/.test(text) && readEvent(text).type !== 'usage' ? { lost: 'event' } : {};

describe('any lines', () => {
  it('never throw and give only valid events; each bad line is reported once, with its number; good ones are kept', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: KEPT_PROBLEMS }), (lines) => {
        const { events, problems } = read(lines.map(({ text }) => text));
        for (const event of events) expect(EventBody.safeParse(event).success).toBe(true);
        const numbered = lines.map((one, index) => ({ ...one, number: index + 1 }));
        expect(problems.first.map((problem) => problem.line)).toEqual(
          numbered.flatMap(({ isBad, number }) => (isBad ? [number] : [])),
        );
        expect(problems.lines).toBe(problems.first.length);
        const good = numbered.flatMap(({ event }) => event ?? []);
        expect(problems.events).toBe(good.length);
        const kept = numbered.flatMap(({ text, event, isBad, number }): EventBody[] =>
          isBad
            ? [{ type: 'unknown', kind: `line ${number} is not an event`, ...lostOf(text) }]
            : event === null
              ? []
              : [event],
        );
        expect(events).toEqual(kept);
      }),
      { numRuns: 200 },
    );
  });
});
