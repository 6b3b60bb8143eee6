import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textStream } from '../../../src/agents/command.js';
import { EventBody } from '../../../src/model/records/events.js';

const read = (lines: string[]): EventBody[] => {
  const parser = textStream();
  return [...lines.flatMap((line) => parser.line(line)), ...parser.end()];
};

describe('output that is text', () => {
  it('is one message of the assistant', () => {
    expect(read(['', '  hello', '', 'world  ', ''])).toEqual([
      { type: 'message', role: 'assistant', text: 'hello\n\nworld' },
    ]);
  });

  it('is not a message if it is blank', () => {
    expect(read([])).toEqual([]);
    expect(read(['', '  '])).toEqual([]);
  });

  it('is limited to a readable size', () => {
    const [event] = read(Array.from({ length: 10_000 }, () => 'x'.repeat(100)));
    const text = event?.type === 'message' ? event.text : '';
    expect(text.length).toBeGreaterThan(250 * 1024);
    expect(text.length).toBeLessThanOrEqual(256 * 1024 + 1);
    expect(text.startsWith('x'.repeat(100))).toBe(true);
  });

  it('never throws and gives only valid events, for any lines', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (lines) => {
        for (const event of read(lines)) expect(EventBody.safeParse(event).success).toBe(true);
      }),
    );
  });
});
