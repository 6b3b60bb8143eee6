import fc from 'fast-check';
import { expect } from 'vitest';
import type { StreamParser } from '../../src/agents/agent.js';
import { EventBody } from '../../src/model/records/events.js';

/** The same JSON with its n-th value replaced by another. */
function spoilt(line: string, number: number, other: unknown): string {
  let count = 0;
  const value: unknown = JSON.parse(line, (_, part: unknown) => (count++ === number ? other : part));
  return JSON.stringify(value);
}

/** Valid lines and damaged ones: cut, with other values, or arbitrary. */
const hostile = (lines: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...lines),
    fc.constantFrom(...lines).chain((line) => fc.nat(line.length).map((length) => line.slice(0, length))),
    fc.tuple(fc.constantFrom(...lines), fc.nat(40), fc.jsonValue()).map((given) => spoilt(...given)),
    fc.json(),
    fc.string({ unit: 'binary' }),
  );

/** Fails if a line of a stream crashes its parser or produces an invalid event. */
export function survivesAnyLine(create: () => StreamParser, lines: readonly string[]): void {
  const deep = `{"type":"error","part":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`;
  expect(create().line(deep)).toHaveLength(1);
  fc.assert(
    fc.property(fc.array(hostile(lines), { maxLength: 8 }), (given) => {
      const parser = create();
      for (const event of [...given.flatMap((line) => parser.line(line)), ...parser.end()]) {
        expect(EventBody.safeParse(JSON.parse(JSON.stringify(event))).error).toBeUndefined();
      }
    }),
    { numRuns: 300 },
  );
}
