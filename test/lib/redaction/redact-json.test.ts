import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/lib/redaction/redact.js';

const redact = createRedactor({ secrets: [] });
const R = '[REDACTED]';

describe('JSON', () => {
  it('is redacted by its keys, even if pretty-printed, and keeps its numbers and blanks', () => {
    const text = '{\n  "api_key": "va\\"lue",\n  "n": 1.0,\n  "big": 12345678901234567890\n}\n';
    expect(redact(text)).toBe(`{\n  "api_key": "${R}",\n  "n": 1.0,\n  "big": 12345678901234567890\n}\n`);
  });

  it('is redacted line by line between lines of text', () => {
    expect(redact('password=ab\n{"x":"password=a\\"b"}\nend')).toBe(`password=${R}\n{"x":"password=${R}\\"b"}\nend`);
  });

  const secret = fc.oneof(
    fc.string({ minLength: 6, maxLength: 20 }),
    fc.string({ unit: 'binary', minLength: 6, maxLength: 20 }),
    fc.constantFrom('quo"te\\slash', 'new\nline\tx', `sk-${'a1'.repeat(12)}`),
  );
  const planted = fc
    .tuple(secret, fc.array(fc.tuple(fc.string(), fc.string()), { minLength: 1, maxLength: 5 }), fc.jsonValue())
    .map(([value, around, other]) => ({
      value,
      line: JSON.stringify({
        other,
        list: around.map(([before, after]) => ({ [before + value]: before + value + after })),
        nested: JSON.stringify({ output: `x ${value} y` }),
        'quoted password': `password="${value}"`,
      }),
    }))
    // A value of few letters, or a part of the marker, may occur in the masked text.
    .filter(({ value }) => value.trim() === value && !/^[[\]REDACTUS]+$/.test(value));

  const strings = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? [...Object.keys(value), ...Object.values(value).flatMap(strings)]
        : [];

  it('stays JSON, and no longer contains the planted secret', () => {
    fc.assert(
      fc.property(planted, ({ value, line }) => {
        const redacted = createRedactor({ secrets: [value] })(`${line}\n${line}`);
        for (const one of redacted.split('\n')) {
          const left = strings(JSON.parse(one));
          expect(left.filter((text) => text.includes(value))).toEqual([]);
          expect(left.filter((text) => text.includes(JSON.stringify(value).slice(1, -1)))).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('does not change when it is redacted again', () => {
    fc.assert(
      fc.property(planted, ({ value, line }) => {
        const once = createRedactor({ secrets: [value] });
        expect(once(once(line))).toBe(once(line));
      }),
      { numRuns: 300 },
    );
  });
});
