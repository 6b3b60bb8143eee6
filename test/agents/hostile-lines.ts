import fc from 'fast-check';
import { expect } from 'vitest';
import type { StreamParser } from '../../src/agents/agent.js';
import { isJsonObject, parseJson, type Json } from '../../src/lib/json.js';
import { EventBody } from '../../src/results/events.js';

/** The same JSON with some of its values replaced by others. */
const spoilt = (value: Json): fc.Arbitrary<unknown> => {
  const kept: fc.Arbitrary<unknown> = Array.isArray(value)
    ? fc.tuple(...value.map(spoilt))
    : isJsonObject(value)
      ? fc.record(Object.fromEntries(Object.entries(value).map(([name, part]) => [name, spoilt(part)])))
      : fc.constant(value);
  return fc.oneof({ weight: 30, arbitrary: kept }, { weight: 1, arbitrary: fc.jsonValue() });
};

/** Lines that begin well, and lines that are none: cut, with other values, or of anything. */
const hostile = (lines: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...lines),
    fc.constantFrom(...lines).chain((line) => fc.nat(line.length).map((length) => line.slice(0, length))),
    fc
      .constantFrom(...lines)
      .chain((line) => spoilt(parseJson(line) ?? null).map((value) => JSON.stringify(value))),
    fc.json(),
    fc.string({ unit: 'binary' }),
  );

/** Fails where a line of a stream crashes its parser, or makes an event that is none. */
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
    { numRuns: 100 },
  );
}
