import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamParser } from '../../../src/agents/agent.js';
import { eventStream, textStream } from '../../../src/agents/streams/plain.js';
import { EventBody } from '../../../src/results/records/events.js';

const read = (parser: StreamParser, lines: string[]): EventBody[] => [
  ...lines.flatMap((line) => parser.line(line)),
  ...parser.end(),
];

const call: EventBody = {
  type: 'tool_call',
  id: '1',
  name: 'shell',
  input: { command: 'ls' },
  command: 'ls',
};
const result: EventBody = {
  type: 'tool_result',
  id: '1',
  exit_code: 0,
  is_error: false,
  output: 'a',
  truncated: false,
};

describe('output that is text', () => {
  it('is one message of the assistant', () => {
    expect(read(textStream(), ['', '  hello', '', 'world  ', ''])).toEqual([
      { type: 'message', role: 'assistant', text: 'hello\n\nworld' },
    ]);
  });

  it('is not a message if it is blank', () => {
    expect(read(textStream(), [])).toEqual([]);
    expect(read(textStream(), ['', '  '])).toEqual([]);
  });

  it('is limited to a readable size', () => {
    const [event] = read(
      textStream(),
      Array.from({ length: 10_000 }, () => 'x'.repeat(100)),
    );
    const text = event?.type === 'message' ? event.text : '';
    expect(text.length).toBeGreaterThan(250 * 1024);
    expect(text.length).toBeLessThanOrEqual(256 * 1024 + 1);
    expect(text.startsWith('x'.repeat(100))).toBe(true);
  });
});

describe('output in the form of events', () => {
  it('gives these events in order, without unknown fields', () => {
    const lines = [JSON.stringify(call), '', JSON.stringify({ ...result, extra: 1 })];
    expect(read(eventStream(), lines)).toEqual([call, result]);
  });

  it('gives all other lines as text', () => {
    const lines = [
      'warning: x',
      JSON.stringify(call),
      '{"type":"unknown"}',
      '{"type":"tool_call"}',
      '{cut',
      'null',
      '[]',
      '5',
    ];
    expect(read(eventStream(), lines)).toEqual([
      call,
      {
        type: 'message',
        role: 'assistant',
        text: ['warning: x', '{"type":"unknown"}', '{"type":"tool_call"}', '{cut', 'null', '[]', '5'].join(
          '\n',
        ),
      },
    ]);
  });

  it('survives an extremely deeply nested input', () => {
    const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const line = `{"type":"tool_call","id":"1","name":"n","command":null,"input":${nested}}`;
    const events = read(eventStream(), [line, JSON.stringify(result)]);
    const message = {
      type: 'message',
      role: 'assistant',
      text: expect.stringContaining(line.slice(0, 100)) as string,
    };
    expect(events).toEqual([result, message]);
  });

  it('never throws and gives only valid events, for any lines', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .record(
          {
            type: fc.constantFrom(
              'session',
              'message',
              'tool_call',
              'tool_result',
              'usage',
              'error',
              'result',
              '__proto__',
            ),
          },
          {},
        )
        .map((event) => JSON.stringify(event)),
      fc
        .tuple(fc.nat(60), fc.constantFrom(call, result))
        .map(([cut, event]) => JSON.stringify(event).slice(0, cut)),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        fc.constantFrom(eventStream, textStream),
        (lines, parser) => {
          for (const event of read(parser(), lines)) expect(EventBody.safeParse(event).success).toBe(true);
        },
      ),
    );
  });

  it('gives events of every type unchanged', () => {
    const events: EventBody[] = [
      { type: 'session', session_id: 's', model_requested: null, model_used: 'm' },
      { type: 'message', role: 'user', text: 'u' },
      { type: 'reasoning', text: 'r' },
      call,
      result,
      {
        type: 'usage',
        input: 1,
        output: 2,
        reasoning: null,
        cache_read: null,
        cache_write: null,
        cost_usd: 0.1,
      },
      { type: 'error', message: 'e', retryable: true },
      { type: 'result', ending: 'done', exit_code: 0 },
    ];
    expect(
      read(
        eventStream(),
        events.map((event) => JSON.stringify(event)),
      ),
    ).toEqual(events);
  });
});
